/// What a text field accepts, for a model's `validate()`.
public struct TextRule {
    /// The field as the start of a sentence: "The name".
    public let subject: String
    /// The most characters, as people count them.
    public let maximum: Int
    /// Whether there must be a text at all.
    public let isRequired: Bool
    /// Whether line breaks and tabs are text; other control characters never are.
    public let allowsLines: Bool

    public init(subject: String, maximum: Int, isRequired: Bool = true, allowsLines: Bool = false) {
        self.subject = subject
        self.maximum = maximum
        self.isRequired = isRequired
        self.allowsLines = allowsLines
    }

    /// The most bytes: room for every script and every emoji, none for one character that goes on for
    /// megabytes.
    private var maximumBytes: Int { maximum * 32 }

    /// Every part of the rule that `text` breaks, as sentences.
    public func problems(of text: String) -> [String] {
        if isRequired, text.unicodeScalars.allSatisfy(isInvisible) { return ["\(subject) is empty."] }
        var problems: [String] = []
        if text.unicodeScalars.contains(where: isForbidden) {
            problems.append("\(subject) must not contain control characters.")
        }
        if text.count > maximum {
            problems.append("\(subject) may have at most \(maximum) characters, not \(text.count).")
        } else if text.utf8.count > maximumBytes {
            problems.append("\(subject) may take at most \(maximumBytes) bytes, not \(text.utf8.count).")
        }
        return problems
    }

    /// Whether a scalar shows nothing where it stands alone: a text of such scalars counts as empty.
    private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }

    private func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control: !(allowsLines && (scalar == "\n" || scalar == "\t"))
        case .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
