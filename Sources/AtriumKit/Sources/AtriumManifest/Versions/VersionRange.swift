/// The versions that a requirement accepts, written as npm writes them.
///
/// `1.2.3`, `^1.2.0`, `~1.2`, `1.x`, `*`, and comparisons that must all hold: `>=1.0.0 <2.0.0`. Parts that
/// are left out stand for any. npm's `||`, `1.0 - 2.0` and leading `v` are not supported.
public struct VersionRange: Sendable, Hashable {
    /// The range as it was written.
    public let description: String

    /// What a version must satisfy, all of it; empty for `*`.
    let comparators: [Comparator]

    /// Whether a version is in the range.
    ///
    /// A prerelease is in it only if the range itself names a prerelease of the same major, minor and
    /// patch: `^1.2.3-beta.1` accepts `1.2.3-beta.2`, but neither it nor `*` accepts `1.3.0-beta.1`.
    public func contains(_ version: SemanticVersion) -> Bool {
        guard comparators.allSatisfy({ $0.accepts(version) }) else { return false }
        return version.prerelease.isEmpty
            || comparators.contains { !$0.bound.prerelease.isEmpty && $0.bound.hasSameParts(as: version) }
    }

    /// One comparison with a version.
    struct Comparator: Sendable, Hashable {
        let relation: Relation
        let bound: SemanticVersion

        func accepts(_ version: SemanticVersion) -> Bool {
            switch relation {
            case .below: version < bound
            case .atMost: version <= bound
            case .equal: version == bound
            case .atLeast: version >= bound
            case .above: version > bound
            }
        }
    }

    /// How a version must compare with a bound.
    enum Relation: Sendable {
        case below, atMost, equal, atLeast, above
    }
}

extension VersionRange: LosslessStringConvertible {
    /// Reads a range; `nil` where ``init(parsing:)`` throws.
    public init?(_ description: String) {
        guard let range = try? VersionRange(parsing: description) else { return nil }
        self = range
    }
}
