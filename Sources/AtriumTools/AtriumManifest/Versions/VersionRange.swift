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

extension VersionRange {
    /// Reads a range.
    ///
    /// - Throws: ``VersionSyntaxError`` naming what is wrong and what is allowed.
    public init(parsing text: String) throws(VersionSyntaxError) {
        do {
            self.init(description: text, comparators: try Self.parse(text))
        } catch {
            throw VersionSyntaxError(
                message: "\(Wording.quoted(text)) is not a version range: \(error.reason); allowed: "
                    + "1.2.3, ^1.2.0, ~1.2, comparisons such as '>=1.0.0 <2.0.0', or *.",
                isTooLarge: error.isTooLarge)
        }
    }

    private static func parse(_ text: String) throws(VersionRefusal) -> [Comparator] {
        var reader = VersionReader(text)
        var comparators: [Comparator] = []
        _ = reader.skipSpaces()
        if reader.isAtEnd { throw VersionRefusal(reason: "it is empty") }
        while !reader.isAtEnd {
            let sign = Sign.read(from: &reader)
            _ = reader.skipSpaces()
            let version = try PartialVersion.read(from: &reader)
            comparators += sign.comparators(for: version)
            guard reader.skipSpaces() || reader.isAtEnd else {
                throw VersionRefusal(reason: "found \(Wording.quoted(reader.remainder)) after a version")
            }
        }
        return comparators
    }

    /// What stands before a version in a range.
    private enum Sign {
        case none, below, atMost, atLeast, above, caret, tilde

        static func read(from reader: inout VersionReader) -> Sign {
            if reader.take(">=") { return .atLeast }
            if reader.take("<=") { return .atMost }
            if reader.take(">") { return .above }
            if reader.take("<") { return .below }
            if reader.take("^") { return .caret }
            if reader.take("~") { return .tilde }
            _ = reader.take("=")
            return .none
        }

        func comparators(for version: PartialVersion) -> [Comparator] {
            guard let major = version.major else {
                let acceptsNone = self == .below || self == .above
                return acceptsNone ? [Comparator(relation: .below, bound: .lowest(0, 0, 0))] : []
            }
            let first = version.first(major)
            switch self {
            case .atLeast:
                return [Comparator(relation: .atLeast, bound: first)]
            case .below:
                return [
                    Comparator(relation: .below, bound: version.isWhole ? first : first.withLowestPrerelease)
                ]
            case .atMost where version.isWhole:
                return [Comparator(relation: .atMost, bound: first)]
            case .atMost:
                return [Comparator(relation: .below, bound: version.next(major))]
            case .above where version.isWhole:
                return [Comparator(relation: .above, bound: first)]
            case .above:
                return [version.next(major).release.orLater]
            case .none where version.isWhole:
                return [Comparator(relation: .equal, bound: first)]
            case .none:
                return [first.orLater, Comparator(relation: .below, bound: version.next(major))]
            case .tilde:
                return [first.orLater, Comparator(relation: .below, bound: version.nextMinor(major))]
            case .caret:
                return [first.orLater, Comparator(relation: .below, bound: version.nextIncompatible(major))]
            }
        }
    }

    /// A version of which the last parts may be missing, or be `*` or `x`.
    private struct PartialVersion {
        var major: Int?
        var minor: Int?
        var patch: Int?
        var prerelease: [PrereleaseIdentifier] = []

        /// Whether no part is missing.
        var isWhole: Bool { patch != nil }

        /// The version with zeros for the missing parts.
        func first(_ major: Int) -> SemanticVersion {
            SemanticVersion(major, minor ?? 0, patch ?? 0, prerelease: prerelease, build: nil)
        }

        /// The lowest version after all that differ only in the missing parts.
        func next(_ major: Int) -> SemanticVersion {
            minor == nil ? .lowest(major + 1, 0, 0) : nextMinor(major)
        }

        /// The lowest version of the next minor, of the next major where the minor is missing.
        func nextMinor(_ major: Int) -> SemanticVersion {
            minor.map { .lowest(major, $0 + 1, 0) } ?? .lowest(major + 1, 0, 0)
        }

        /// The lowest version that changes the leftmost part that isn't zero.
        func nextIncompatible(_ major: Int) -> SemanticVersion {
            guard major == 0, let minor else { return .lowest(major + 1, 0, 0) }
            guard minor == 0, let patch else { return .lowest(0, minor + 1, 0) }
            return .lowest(0, 0, patch + 1)
        }

        static func read(from reader: inout VersionReader) throws(VersionRefusal) -> PartialVersion {
            var version = PartialVersion()
            version.major = try readPart("major", from: &reader)
            guard reader.take(".") else { return version }
            version.minor = try readPart("minor", from: &reader)
            guard reader.take(".") else { return version.withoutPartsAfterGap }
            version.patch = try readPart("patch", from: &reader)
            if reader.take("-") { version.prerelease = try reader.prerelease() }
            if reader.take("+") { _ = try reader.build() }
            return version.withoutPartsAfterGap
        }

        private static func readPart(
            _ name: String, from reader: inout VersionReader
        ) throws(VersionRefusal) -> Int? {
            if reader.take("*") || reader.take("x") || reader.take("X") { return nil }
            return try reader.number(name)
        }

        /// `1.x.3` means `1.x`, as in npm.
        private var withoutPartsAfterGap: PartialVersion {
            var version = self
            if version.major == nil { version.minor = nil }
            if version.minor == nil { version.patch = nil }
            if version.patch == nil { version.prerelease = [] }
            return version
        }
    }
}

extension SemanticVersion {
    /// The lowest version of these three parts, the prerelease `0`; a range that ends before it also
    /// excludes the prereleases of its upper end.
    fileprivate static func lowest(_ major: Int, _ minor: Int, _ patch: Int) -> SemanticVersion {
        SemanticVersion(major, minor, patch, prerelease: [PrereleaseIdentifier(checked: "0")], build: nil)
    }

    fileprivate var withLowestPrerelease: SemanticVersion { .lowest(major, minor, patch) }

    /// The version without its prerelease.
    fileprivate var release: SemanticVersion {
        SemanticVersion(major, minor, patch, prerelease: [], build: nil)
    }

    fileprivate var orLater: VersionRange.Comparator {
        VersionRange.Comparator(relation: .atLeast, bound: self)
    }
}
