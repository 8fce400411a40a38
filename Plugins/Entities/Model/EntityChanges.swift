/// What is to change in an entity; nil leaves a field as it is, an empty category or notes removes them.
///
/// Texts lose the white space around them.
struct EntityChanges: Codable, Hashable, Sendable {
    let name: String?
    let category: String?
    let notes: String?

    init(name: String? = nil, category: String? = nil, notes: String? = nil) {
        self.name = name?.trimmed
        self.category = category?.trimmed
        self.notes = notes?.trimmed
    }

    /// Another text in one field.
    init(setting field: EntityField, to text: String) {
        switch field {
        case .name: self.init(name: text)
        case .category: self.init(category: text)
        case .notes: self.init(notes: text)
        }
    }

    /// Whether nothing is to change.
    var isEmpty: Bool { name == nil && category == nil && notes == nil }

    /// Every rule that a new value breaks, in the order of the form.
    func validate() -> [ValidationFinding] {
        [(EntityField.name, name), (.category, category), (.notes, notes)].flatMap { field, text in
            text.map(field.findings) ?? []
        }
    }

    /// `entity` with these changes.
    func applied(to entity: Entity) -> Entity {
        var entity = entity
        if let name { entity.name = name }
        if let category { entity.category = category.nilIfEmpty }
        if let notes { entity.notes = notes.nilIfEmpty }
        return entity
    }
}
