import AtriumKit

/// The input for an entity, and its problems.
struct EntityFormState: Hashable, Sendable {
    private(set) var draft: EntityDraft
    private(set) var problems: [EntityField: String] = [:]

    init(_ draft: EntityDraft = EntityDraft()) { self.draft = draft }

    var filled: [EntityField] { EntityField.allCases.filter { draft.text(of: $0) != nil } }

    /// Sets one field, and removes its message.
    mutating func set(_ field: EntityField, to text: String) throws {
        let changed = draft.setting(field, to: text)
        let findings = field.findings(in: changed.text(of: field) ?? "")
        show(findings)
        try ValidationError.check(findings)
        draft = changed
        problems[field] = nil
    }

    /// Checks all fields, and replaces the messages.
    mutating func validate() -> Bool {
        problems = [:]
        show(draft.validate())
        return problems.isEmpty
    }

    private mutating func show(_ findings: [ValidationFinding]) {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = name.flatMap(EntityField.init(rawValue:)) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}
