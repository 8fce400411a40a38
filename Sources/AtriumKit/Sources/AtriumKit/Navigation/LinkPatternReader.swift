/// Parses a pattern, and reports its first problem.
struct LinkPatternReader {
    private(set) var segments: [LinkPattern.Segment] = []
    /// The first problem, as the end of a sentence.
    private(set) var problem: String?

    /// The most segments of a pattern: those read from a link are tracked in the bits of one word.
    private static let limit = 32
    /// Characters that a literal can't have: they separate parts of links and patterns, or have a meaning in
    /// other notations.
    private static let special = ":?*+#%&=(){}[]<>\\".unicodeScalars

    init(_ text: String) {
        guard !text.isEmpty else {
            problem = "it is empty"
            return
        }
        // By scalars: a separator followed by a combining mark is one Character, and would not match.
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
            let segment = read(Substring(part))
            checkPosition(of: segment)
            segments.append(segment)
        }
        if segments.allSatisfy(\.mayBeAbsent) {
            report("it has no segment that every link has; put one first, such as 'files/:path*'")
        }
        if segments.count > Self.limit { report("it has more than \(Self.limit) segments") }
    }

    private mutating func read(_ part: Substring) -> LinkPattern.Segment {
        guard part.unicodeScalars.first == ":" else {
            check(literal: part)
            return .literal(String(part))
        }
        var name = part.unicodeScalars.dropFirst()
        let ending = name.last
        if ending == "?" || ending == "*" { name.removeLast() }
        check(name: Substring(name), of: part)
        switch ending {
        case "?": return .optional(String(Substring(name)))
        case "*": return .tail(String(Substring(name)))
        default: return .argument(String(Substring(name)))
        }
    }

    private mutating func check(literal text: Substring) {
        if text.isEmpty {
            report("segment \(segments.count + 1) is empty")
        } else if text.unicodeScalars.last == "?" {
            report("'\(text)' has no value that could say whether it is there; only an argument is optional")
        } else if let scalar = text.unicodeScalars.first(where: {
            Self.special.contains($0) || $0.properties.isWhitespace
                || $0.properties.generalCategory == .control
        }) {
            let name = scalar.isASCII && scalar.value > 0x20 ? "'\(scalar)'" : "a space or control character"
            report("'\(text)' has \(name) in it")
        }
    }

    private mutating func check(name: Substring, of part: Substring) {
        let letters = name.unicodeScalars
        guard let first = letters.first else {
            return report("segment \(segments.count + 1), '\(part)', has no name behind ':'")
        }
        let isName =
            (first.properties.isAlphabetic || first == "_")
            && letters.allSatisfy {
                $0.properties.isAlphabetic || $0 == "_" || $0.properties.numericType == .decimal
            }
        if !isName { report("'\(part)' does not name a property: a name has letters, digits and '_'") }
        if segments.contains(where: { $0.name == String(name) }) {
            report("it names '\(name)' twice")
        }
    }

    /// Checks that optional segments and tails are at the end.
    private mutating func checkPosition(of segment: LinkPattern.Segment) {
        switch (segments.last, segment) {
        case (.tail(let first), .tail(let second)):
            report("it has two tails, ':\(first)*' and ':\(second)*'")
        case (.tail(let name), _):
            report("something follows ':\(name)*', which takes all the rest")
        case (.optional(let name), .literal), (.optional(let name), .argument), (.optional(let name), .tail):
            report("':\(name)?' is optional and stands in the middle")
        default: break
        }
    }

    private mutating func report(_ text: String) {
        problem = problem ?? text
    }
}
