/// An entity that is not created yet.
///
/// Texts lose the white space around them; a category or notes without text count as none.
struct EntityDraft: Codable, Hashable, Sendable {
    private(set) var name: String
    private(set) var category: String?
    private(set) var notes: String?

    init(name: String = "", category: String? = nil, notes: String? = nil) {
        self.name = name.trimmed
        self.category = category?.trimmed.nilIfEmpty
        self.notes = notes?.trimmed.nilIfEmpty
    }

    /// The text of one field; nil where there is none.
    func text(of field: EntityField) -> String? {
        switch field {
        case .name: name.nilIfEmpty
        case .category: category
        case .notes: notes
        }
    }

    /// The draft with another text in one field.
    func setting(_ field: EntityField, to text: String) -> EntityDraft {
        switch field {
        case .name: EntityDraft(name: text, category: category, notes: notes)
        case .category: EntityDraft(name: name, category: text, notes: notes)
        case .notes: EntityDraft(name: name, category: category, notes: text)
        }
    }

    /// Every rule that the draft breaks, in the order of the form.
    func validate() -> [ValidationFinding] {
        EntityField.allCases.flatMap { $0.findings(in: text(of: $0) ?? "") }
    }
}
