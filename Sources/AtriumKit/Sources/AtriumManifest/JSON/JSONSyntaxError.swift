/// The first place where a text can't be JSON.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    /// Where it is.
    public let position: SourcePosition

    /// A sentence: what was found and what is allowed there.
    public let message: String
}

extension JSONSyntaxError: CustomStringConvertible {
    /// `12:5: error: Found ']'; allowed: …`.
    public var description: String { "\(position): error: \(message)" }
}
