/// What was filled in for an entity, and what is wrong with it.
struct EntityFormState: Hashable, Sendable {
    private(set) var draft: EntityDraft
    /// What is wrong with a field, for a message beside it.
    private(set) var problems: [EntityField: String] = [:]

    init(_ draft: EntityDraft = EntityDraft()) {
        self.draft = draft
    }

    /// The fields that have a text, in the order of the form.
    var filled: [EntityField] { EntityField.allCases.filter { draft.text(of: $0) != nil } }

    /// Sets one field; what was wrong with it is no longer told.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the value: it stays as it is, and the
    ///   reason is told beside it.
    mutating func set(_ field: EntityField, to text: String) throws {
        let changed = draft.setting(field, to: text)
        let findings = field.findings(in: changed.text(of: field) ?? "")
        tell(findings)
        try ValidationError.check(findings)
        draft = changed
        problems[field] = nil
    }

    /// Checks all fields, and tells beside each what is wrong with it, and nothing else.
    ///
    /// - Returns: Whether nothing is.
    mutating func validate() -> Bool {
        problems = [:]
        tell(draft.validate())
        return problems.isEmpty
    }

    private mutating func tell(_ findings: [ValidationFinding]) {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = EntityField(rawValue: name) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}
