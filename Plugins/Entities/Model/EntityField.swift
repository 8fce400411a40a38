import AtriumKit

/// A field of an entity that people fill in, by the name that they type.
enum EntityField: String, CaseIterable, Hashable, Sendable, Codable {
    case name, category, notes

    /// What the field accepts.
    var rule: TextRule {
        switch self {
        case .name: TextRule(subject: "The name", maximum: Entity.maximumName)
        case .category:
            TextRule(subject: "The category", maximum: Entity.maximumCategory, isRequired: false)
        case .notes:
            TextRule(
                subject: "The notes", maximum: Entity.maximumNotes, isRequired: false, allowsLines: true)
        }
    }

    /// The rules that `text` breaks.
    func findings(in text: String) -> [ValidationFinding] {
        rule.problems(of: text).map { ValidationFinding(field: rawValue, message: $0) }
    }
}
