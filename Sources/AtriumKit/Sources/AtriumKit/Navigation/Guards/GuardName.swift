/// The name of a guard, by which screens ask for it.
public struct GuardName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    public var description: String { rawValue }

    /// Somebody has to be signed in.
    public static let signedIn: GuardName = "signed-in"
}
