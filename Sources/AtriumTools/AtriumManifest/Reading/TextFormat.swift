/// A text format: its name in messages, what it allows, and an example.
///
/// Checked by code, not by regular expressions: the standard library's `Regex` costs 1.3 ms before its first
/// match of a version; the host starts in 4 ms.
public struct TextFormat: Sendable {
    let name: String
    let allowed: String
    let example: String?
    /// Returns whether a string has this format.
    public let accepts: @Sendable (String) -> Bool

    /// Creates a format; a refusal names it, lists what is `allowed`, and gives the example.
    public init(
        name: String, allowed: String, example: String? = nil, accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.name = name
        self.allowed = allowed
        self.example = example
        self.accepts = accepts
    }

    /// A sentence that says why a string is refused.
    public func refusal(of text: String) -> String {
        if name.isEmpty { return "Found \(Wording.quoted(text)); allowed: \(allowed)." }
        let suffix = example.map { ", for example '\($0)'" } ?? ""
        return "\(Wording.quoted(text)) is not a valid \(name); allowed: \(allowed)\(suffix)."
    }
}

extension TextFormat {
    /// The name of a module, such as `UserProfile`, which also occurs in names of files and tables.
    public static let moduleName = TextFormat(
        name: "module name", allowed: "a capital letter, then letters and digits, at most 64 in all",
        example: "UserProfile"
    ) { text in
        // Module names are used in file names and table names.
        text.utf8.count <= 64 && isCapitalized(text)
    }

    static let interfaceName = TextFormat(
        name: "interface name", allowed: "a capital letter, then letters and digits",
        example: "HTTPTransport",
        accepts: isCapitalized)

    static let swiftIdentifier = TextFormat(
        name: "Swift identifier", allowed: "a letter or '_', then letters, digits and '_'",
        example: "UserProfileModule"
    ) { text in
        text.utf8.first.map { $0.isWordCharacter && !$0.isDigit } == true
            && text.utf8.allSatisfy(\.isWordCharacter)
    }

    static let semanticVersion = TextFormat(
        name: "semantic version",
        allowed:
            "three numbers without leading zeros, then optionally '-' and a prerelease, then optionally '+' "
            + "and build metadata", example: "1.0.0", accepts: { (try? SemanticVersion(parsing: $0)) != nil })

    /// One line of text for users, such as a summary.
    public static let line = TextFormat(
        name: "line of text",
        allowed: "one line that is not empty, without control characters or space at its ends",
        example: "Browse, search and edit entities"
    ) { text in
        // Fast path: plain ASCII needs no table of properties.
        let space = UInt8(ascii: " ")
        if text.utf8.allSatisfy({ $0 >= space && $0 < 0x7F }) {
            return !text.isEmpty && text.utf8.first != space && text.utf8.last != space
        }
        // ECMA-262, and so JSON Schema, counts U+FEFF as a space.
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace || scalar == "\u{FEFF}" }
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return false }
        return !isSpace(first) && !isSpace(last)
            && text.unicodeScalars.allSatisfy {
                ![.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
            }
    }

    /// The pattern of a screen's links, such as `entities/:id`.
    public static let linkPattern = TextFormat(
        name: "link",
        allowed: "segments between '/', each of lowercase letters, digits and '-', or ':' and the name of a "
            + "parameter; at the end also ':name?' for parameters that may be absent, or one ':name*' for any "
            + "number of segments", example: "entities/:id", accepts: isLinkPattern)

    static let commandName = TextFormat(
        name: "command name",
        allowed: "a lowercase letter, then lowercase letters, digits and '-', at most 40 in all",
        example: "sign-in"
    ) { text in
        text.utf8.count <= 40 && text.utf8.first?.isLowercase == true
            && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
    }

    static let configurationKey = TextFormat(
        name: "configuration key",
        allowed: "a lowercase letter, then letters and digits, with single '.' and '-' between them",
        example: "pageSize"
    ) { text in
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        }
        return text.utf8.first?.isLowercase == true
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isAlphanumeric) }
    }

    static let publicKey = TextFormat(
        name: "minisign public key", allowed: "the 56 characters from RW that 'minisign -G' prints",
        example: "RWT52o316wDkECeYz6ofb3+B4tYneuNxfFMWtxm8lrRZ7knFuMW5BcZw"
    ) { text in
        text.utf8.count == 56 && ["RWQ", "RWR", "RWS", "RWT"].contains(text.prefix(3))
            && text.utf8.allSatisfy {
                $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
            }
    }

    static let anyText = TextFormat(
        name: "", allowed: "a text of at least 1 character", accepts: { !$0.isEmpty })

    @Sendable private static func isCapitalized(_ text: String) -> Bool {
        text.utf8.first?.isUppercase == true && text.utf8.allSatisfy(\.isAlphanumeric)
    }

    private enum SegmentKind {
        case required, optional, tail
    }

    @Sendable private static func isLinkPattern(_ text: String) -> Bool {
        let segments = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let kinds = segments.map(kind)
        let rest = kinds.drop { $0 == .required }
        return kinds.first == .required
            && (rest.allSatisfy { $0 == .optional } || rest.elementsEqual([.tail]))
    }

    /// The kind of a segment in a link's pattern; nil if it is not valid.
    private static func kind(of segment: Substring.UTF8View) -> SegmentKind? {
        guard segment.first == UInt8(ascii: ":") else {
            let isPlain = segment.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
            return isPlain && segment.first.map { $0 != UInt8(ascii: "-") } == true ? .required : nil
        }
        let kind: SegmentKind =
            switch segment.last {
            case UInt8(ascii: "?"): .optional
            case UInt8(ascii: "*"): .tail
            default: .required
            }
        let name = segment.dropFirst().dropLast(kind == .required ? 0 : 1)
        return name.first?.isLowercase == true && name.allSatisfy(\.isAlphanumeric) ? kind : nil
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
    var isLowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
    var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    var isAlphanumeric: Bool { isDigit || isLowercase || isUppercase }
    var isWordCharacter: Bool { isAlphanumeric || self == UInt8(ascii: "_") }
}
