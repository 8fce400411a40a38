import Glibc

/// A reference to a variable of the environment as a value: `@env:NAME`.
public struct VariableReference: Sendable {
    public let name: String

    /// Nil for a text that is a value itself.
    public init?(_ text: String) {
        guard text.hasPrefix("@env:") else { return nil }
        name = String(text.dropFirst(5))
    }

    /// The value of the variable; nil if the environment does not have it.
    public var value: String? { getenv(name).map { String(cString: $0) } }
}
