/// Why a link could not be read or written.
public struct LinkError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?

    private init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    static func malformed(_ link: String, _ reason: String) -> LinkError {
        LinkError(.badLink, "'\(link)' is not a link: \(reason).", hint: "links")
    }

    static func missingValue(_ name: String, pattern: LinkPattern) -> LinkError {
        LinkError(.badLink, "A link of the form '\(pattern)' needs a value for '\(name)'.")
    }

    static func wrongType(_ name: String, value: String, link: Link, expected: String) -> LinkError {
        LinkError(.badLink, "In '\(link)', '\(name)' must be \(expected), not '\(value)'.")
    }

    static func unknownItems(_ names: [String], link: Link, known: [String]) -> LinkError {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let nearest =
            names.first.flatMap { NearestName.of($0, among: known) }.map { "Did you mean '\($0)'? " } ?? ""
        let allowed =
            known.isEmpty ? "It takes none." : "It takes \(known.map { "'\($0)'" }.joined(separator: ", "))."
        return LinkError(
            .badLink, "The link '\(link)' has an unknown value \(list).", hint: nearest + allowed)
    }

    static func repeatedItem(_ name: String, link: Link) -> LinkError {
        LinkError(.badLink, "The link '\(link)' gives '\(name)' twice.")
    }

    static func unsupported(_ name: String) -> LinkError {
        LinkError(
            .badLink,
            "The property '\(name)' of a destination is neither text, number, truth value nor a choice.")
    }
}

extension ErrorCode {
    /// A text is not a link, or does not fit its destination.
    public static let badLink: ErrorCode = "badLink"
}
