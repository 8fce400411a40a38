/// A text that is no version, or no range of versions.
public struct VersionSyntaxError: Error, Sendable, Hashable {
    /// A sentence: what was found and what is allowed.
    public let message: String
}

extension VersionSyntaxError: CustomStringConvertible {
    /// The sentence.
    public var description: String { message }
}
