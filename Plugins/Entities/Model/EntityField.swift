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
        guard !isPlainlyValid(text) else { return [] }
        return rule.problems(of: text).map { ValidationFinding(field: rawValue, message: $0) }
    }

    /// Whether a text keeps the rules at first sight: short enough, of printable ASCII, and not only spaces.
    ///
    /// Of most texts it tells so in a hundredth of the time that the rules take, which counts for imports.
    private func isPlainlyValid(_ text: String) -> Bool {
        let rule = rule
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
