/// The reason that a link could not be read or written.
public struct LinkError: ExplainedError {
    /// Always `badLink`.
    public var code: ErrorCode { .badLink }
    public let message: String
    public let hint: String?

    private init(_ message: String, hint: String? = nil) {
        (self.message, self.hint) = (message, hint)
    }

    static func malformed(_ link: String, _ reason: String) -> LinkError {
        LinkError("'\(Link.shown(link).excerpt)' is not a link: \(reason).", hint: "links")
    }

    static func hasFragment(_ link: String) -> LinkError {
        LinkError(
            "'\(Link.shown(link).excerpt)' is not a link: '#' separates a fragment, which links don't have.",
            hint: "Write '%23' for a '#' in a value.")
    }

    static func missingValue(_ name: String, pattern: LinkPattern) -> LinkError {
        LinkError("A link of the form '\(pattern)' needs a value for '\(name)'.")
    }

    static func wrongType(_ name: String, value: String, link: Link, expected: String) -> LinkError {
        LinkError("In '\(link.shown.excerpt)', '\(name)' must be \(expected), not '\(value.excerpt)'.")
    }

    static func unknownItems(_ names: [String], link: Link, known: [String]) -> LinkError {
        let list = names.prefix(5).map { "'\($0.excerpt)'" }.joined(separator: ", ")
        let nearest =
            names.first.flatMap { NearestName.of($0, among: known) }.map { "Did you mean '\($0)'? " } ?? ""
        let allowed =
            known.isEmpty ? "It takes none." : "It takes \(known.map { "'\($0)'" }.joined(separator: ", "))."
        return LinkError(
            "The link '\(link.shown.excerpt)' has an unknown value \(list).", hint: nearest + allowed)
    }

    static func repeatedItem(_ name: String, link: Link) -> LinkError {
        LinkError("The link '\(link.shown.excerpt)' gives '\(name)' twice.")
    }

    static func belongsInPath(_ name: String, link: Link, pattern: LinkPattern) -> LinkError {
        LinkError(
            "The link '\(link.shown.excerpt)' gives '\(name)' in its query; it belongs in the path.",
            hint: "Write it in the form '\(pattern)'.")
    }

    static func unsupported(_ name: String) -> LinkError {
        LinkError(
            "The property '\(name)' of a destination is neither text, number, truth value, choice nor a list "
                + "of these.")
    }

    static func unsupportedForm(_ pattern: LinkPattern) -> LinkError {
        LinkError("The destination '\(pattern)' has no link: it is not a struct with plain properties.")
    }

    static func notFinite(_ name: String, value: String) -> LinkError {
        LinkError("The property '\(name)' of a destination is \(value), which a link can't express.")
    }

    /// An empty optional list would be read back as nil.
    static func emptyOptionalList(_ name: String) -> LinkError {
        LinkError(
            "The property '\(name)' of a destination is an empty list, which its link can't tell from none.",
            hint: "Make '\(name)' a list that is not optional.")
    }

    static func listInSegment(_ name: String, pattern: LinkPattern) -> LinkError {
        LinkError(
            "The property '\(name)' is a list, and the pattern '\(pattern)' has one segment for it.",
            hint: "Write ':\(name)*' at the end of the pattern.")
    }

    static func gap(_ name: String, before later: String, pattern: LinkPattern) -> LinkError {
        LinkError("A link of the form '\(pattern)' can't have '\(later)' without a value for '\(name)'.")
    }
}

extension ErrorCode {
    /// A text is not a link, or does not fit its destination.
    public static let badLink: ErrorCode = "badLink"
}
