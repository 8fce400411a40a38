/// A module that another one needs.
public struct Requirement: Sendable, Hashable {
    /// The name of the module that is needed.
    public let name: String

    /// The versions of it that will do.
    public let range: VersionRange

    /// Makes a requirement.
    public init(name: String, range: VersionRange) {
        self.name = name
        self.range = range
    }
}

extension Requirement: CustomStringConvertible {
    /// `Session ^1.0.0`.
    public var description: String { "\(name) \(range)" }
}
