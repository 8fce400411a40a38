/// The rule for a text field, for a model's `validate()`.
public struct TextRule {
    /// The field as the start of a sentence: "The name".
    public let subject: String
    /// The most characters, as users count them.
    public let maximum: Int
    /// True if the text must not be empty.
    public let isRequired: Bool
    /// True if line breaks and tabs are allowed; other control characters never are.
    public let allowsLines: Bool

    /// Creates a rule; `subject` begins the sentences about it, `maximum` counts characters.
    public init(subject: String, maximum: Int, isRequired: Bool = true, allowsLines: Bool = false) {
        self.subject = subject
        self.maximum = maximum
        self.isRequired = isRequired
        self.allowsLines = allowsLines
    }

    /// The most bytes: enough for every script and every emoji, but not for one character of megabytes.
    private var maximumBytes: Int { maximum * 32 }

    /// Returns every part of the rule that `text` breaks, as sentences.
    public func problems(of text: String) -> [String] {
        if isPlainlyValid(text) { return [] }
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

    /// True if a text is short enough, of printable ASCII, and not only spaces.
    ///
    /// Takes a hundredth of the time of the full rule, which matters for imports.
    private func isPlainlyValid(_ text: String) -> Bool {
        var isVisible = !isRequired
        guard text.utf8.count <= maximum else { return false }
        for byte in text.utf8 {
            switch byte {
            case 0x20: continue
            case 0x21...0x7E: isVisible = true
            case UInt8(ascii: "\n") where allowsLines: continue
            default: return false
            }
        }
        return isVisible
    }

    /// True if a scalar shows nothing on its own: a text of only such scalars counts as empty.
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

extension String {
    /// The text without surrounding white space.
    public var trimmed: String {
        let isPlain: (UInt8?) -> Bool = { $0.map { (0x21...0x7E).contains($0) } ?? true }
        if isPlain(utf8.first), isPlain(utf8.last) { return self }
        let isSpace: (Character) -> Bool = \.isWhitespace
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[first...last])
    }

    /// The text, or nil if it is empty.
    public var nilIfEmpty: String? { isEmpty ? nil : self }

    /// The text as messages quote it: the first 80 scalars, and `…` if there are more.
    public var excerpt: String {
        let scalars = unicodeScalars
        return scalars.dropFirst(80).isEmpty ? self : String(scalars.prefix(80)) + "…"
    }

    /// The text with LF in place of the line breaks of other systems.
    public var withLineFeeds: String {
        guard utf8.contains(UInt8(ascii: "\r")) else { return self }
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if !(isAfterReturn && scalar == "\n") {
                scalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return String(scalars)
    }
}
