import AtriumKit

/// A field of an entity that users fill in, by the name that they type.
enum EntityField: String, CaseIterable, Hashable, Sendable, Codable {
    case name, category, notes

    private var rule: TextRule {
        switch self {
        case .name: TextRule(subject: "The name", maximum: Entity.maximumName)
        case .category:
            TextRule(subject: "The category", maximum: Entity.maximumCategory, isRequired: false)
        case .notes:
            TextRule(
                subject: "The notes", maximum: Entity.maximumNotes, isRequired: false, allowsLines: true)
        }
    }

    func findings(in text: String) -> [ValidationFinding] {
        let rule = rule
        guard !Self.isPlainlyValid(text, rule) else { return [] }
        return rule.problems(of: text).map { ValidationFinding($0, field: rawValue) }
    }

    /// True if a text is short enough, of printable ASCII, and not only spaces.
    ///
    /// Takes a hundredth of the time of the full rule, which matters for imports.
    private static func isPlainlyValid(_ text: String, _ rule: TextRule) -> Bool {
        var isVisible = !rule.isRequired
        guard text.utf8.count <= rule.maximum else { return false }
        for byte in text.utf8 {
            switch byte {
            case 0x20: continue
            case 0x21...0x7E: isVisible = true
            case UInt8(ascii: "\n") where rule.allowsLines: continue
            default: return false
            }
        }
        return isVisible
    }
}

/// An entity that has not been created yet.
///
/// White space around texts is removed; an empty category or empty notes count as none.
struct EntityDraft: Codable, Hashable, Sendable {
    let name: String
    let category: String?
    let notes: String?

    init(name: String = "", category: String? = nil, notes: String? = nil) {
        self.name = name.trimmed
        self.category = category?.trimmed.nilIfEmpty
        self.notes = notes?.trimmed.nilIfEmpty
    }

    func text(of field: EntityField) -> String? {
        switch field {
        case .name: name.nilIfEmpty
        case .category: category
        case .notes: notes
        }
    }

    func setting(_ field: EntityField, to text: String) -> EntityDraft {
        switch field {
        case .name: EntityDraft(name: text, category: category, notes: notes)
        case .category: EntityDraft(name: name, category: text, notes: notes)
        case .notes: EntityDraft(name: name, category: category, notes: text)
        }
    }

    func validate() -> [ValidationFinding] {
        EntityField.allCases.flatMap { $0.findings(in: text(of: $0) ?? "") }
    }

    func entity(id: Int, at moment: Timestamp) -> Entity {
        Entity(
            id: id, name: name, category: category, notes: notes, createdAt: moment, updatedAt: moment)
    }
}

/// New values for fields of an entity: nil keeps the former value, an empty text removes it.
///
/// White space around texts is removed.
struct EntityChanges: Codable, Hashable, Sendable {
    let name: String?
    let category: String?
    let notes: String?

    init(name: String? = nil, category: String? = nil, notes: String? = nil) {
        self.name = name?.trimmed
        self.category = category?.trimmed
        self.notes = notes?.trimmed
    }

    init(setting field: EntityField, to text: String) {
        switch field {
        case .name: self.init(name: text)
        case .category: self.init(category: text)
        case .notes: self.init(notes: text)
        }
    }

    var isEmpty: Bool { name == nil && category == nil && notes == nil }

    func validate() -> [ValidationFinding] {
        [(EntityField.name, name), (.category, category), (.notes, notes)].flatMap { field, text in
            text.map(field.findings) ?? []
        }
    }

    func applied(to entity: Entity) -> Entity {
        var entity = entity
        if let name { entity.name = name }
        if let category { entity.category = category.nilIfEmpty }
        if let notes { entity.notes = notes.nilIfEmpty }
        return entity
    }
}
