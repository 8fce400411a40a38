/// The versions that a requirement accepts, in npm's syntax.
///
/// `1.2.3`, `^1.2.0`, `~1.2`, `1.x`, `*`, and comparisons that must all hold: `>=1.0.0 <2.0.0`. Missing parts
/// accept any number. npm's `||`, `1.0 - 2.0` and leading `v` are not supported.
public struct VersionRange: Sendable, Hashable, CustomStringConvertible {
    /// The range as it was written.
    public let description: String

    /// The comparisons that must all hold; empty for `*`.
    let comparators: [Comparator]

    /// True if a version is in the range.
    ///
    /// A prerelease is included only if the range itself names a prerelease of the same major, minor and
    /// patch: `^1.2.3-beta.1` accepts `1.2.3-beta.2`, but neither it nor `*` accepts `1.3.0-beta.1`.
    public func contains(_ version: SemanticVersion) -> Bool {
        guard comparators.allSatisfy({ $0.accepts(version) }) else { return false }
        return version.prerelease.isEmpty
            || comparators.contains { !$0.bound.prerelease.isEmpty && $0.bound.hasSameParts(as: version) }
    }

    /// The major version of all versions in the range; nil if they have several.
    public var major: Int? {
        let lower = comparators.filter { [.atLeast, .above, .equal].contains($0.relation) }
        guard let least = lower.map(\.bound).max() else { return nil }
        let next = SemanticVersion(least.major + 1, 0, 0)
        let isBounded = comparators.contains {
            switch $0.relation {
            case .below: $0.bound <= next
            case .atMost: $0.bound < next
            case .equal: true
            default: false
            }
        }
        return isBounded ? least.major : nil
    }

    struct Comparator: Sendable, Hashable {
        let relation: Sign
        let bound: SemanticVersion

        func accepts(_ version: SemanticVersion) -> Bool {
            switch relation {
            case .below: version < bound
            case .atMost: version <= bound
            case .atLeast: version >= bound
            case .above: version > bound
            default: version == bound
            }
        }
    }

    /// Reads a range.
    public init(parsing text: String) throws(VersionSyntaxError) {
        do {
            description = text
            comparators = try Self.parse(text)
        } catch {
            throw VersionSyntaxError(
                message: "\(Wording.quoted(text)) is not a version range: \(error.message); allowed: "
                    + "1.2.3, ^1.2.0, ~1.2, comparisons such as '>=1.0.0 <2.0.0', or *.",
                isTooLarge: error.isTooLarge)
        }
    }

    private static func parse(_ text: String) throws(VersionSyntaxError) -> [Comparator] {
        var reader = VersionReader(text)
        var comparators: [Comparator] = []
        _ = reader.skipSpaces()
        if reader.isAtEnd { throw VersionSyntaxError(message: "it is empty") }
        while !reader.isAtEnd {
            let sign = Sign.allCases.first { reader.take($0.rawValue) } ?? .none
            _ = reader.skipSpaces()
            comparators += sign.comparators(for: try PartialVersion(from: &reader))
            guard reader.skipSpaces() || reader.isAtEnd else {
                throw VersionSyntaxError(message: "found \(Wording.quoted(reader.remainder)) after a version")
            }
        }
        return comparators
    }
}

/// The sign before a version in a range; longer signs come before their prefixes.
enum Sign: String, CaseIterable {
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
    case caret = "^"
    case tilde = "~"
    case equal = "="
    case none = ""

    fileprivate func comparators(for version: PartialVersion) -> [VersionRange.Comparator] {
        let last = version.parts.count - 1
        guard last >= 0 else {
            // No version is below or above every version.
            return self == .below || self == .above ? [.init(relation: .below, bound: .lowest(0, 0, 0))] : []
        }
        let first = version.first
        let isWhole = last == 2
        func upTo(_ part: Int) -> [VersionRange.Comparator] {
            [
                .init(relation: .atLeast, bound: first),
                .init(relation: .below, bound: version.next(part)),
            ]
        }
        switch self {
        case .atLeast: return [.init(relation: .atLeast, bound: first)]
        case .below:
            let bound = isWhole ? first : .lowest(first.major, first.minor, first.patch)
            return [.init(relation: .below, bound: bound)]
        case .atMost where isWhole: return [.init(relation: .atMost, bound: first)]
        case .atMost: return [.init(relation: .below, bound: version.next(last))]
        case .above where isWhole: return [.init(relation: .above, bound: first)]
        case .above:
            let next = version.next(last)
            return [.init(relation: .atLeast, bound: SemanticVersion(next.major, next.minor, next.patch))]
        case .equal, .none: return isWhole ? [.init(relation: .equal, bound: first)] : upTo(last)
        case .tilde: return upTo(min(last, 1))
        case .caret: return upTo(version.parts.firstIndex { $0 > 0 } ?? last)
        }
    }
}

/// A version whose last parts may be missing, `*` or `x`.
private struct PartialVersion {
    /// The parts before the first missing one: `1.x.3` means `1.x`, as in npm.
    private(set) var parts: [Int] = []
    private var prerelease: [PrereleaseIdentifier] = []

    init(from reader: inout VersionReader) throws(VersionSyntaxError) {
        var hasGap = false
        for name in ["major", "minor", "patch"] {
            if name != "major", !reader.take(".") { return }
            if reader.take("*") || reader.take("x") || reader.take("X") {
                hasGap = true
            } else {
                let part = try reader.number(name)
                if !hasGap { parts.append(part) }
            }
        }
        let (prerelease, _) = try reader.suffixes()
        if !hasGap { self.prerelease = prerelease }
    }

    /// The version with zeros for the missing parts.
    var first: SemanticVersion {
        let parts = parts + [0, 0, 0]
        return SemanticVersion(parts[0], parts[1], parts[2], prerelease: prerelease)
    }

    /// The lowest version in which a part is larger.
    func next(_ part: Int) -> SemanticVersion {
        let parts = parts[..<part] + [parts[part] + 1, 0, 0]
        return .lowest(parts[0], parts[1], parts[2])
    }
}

extension SemanticVersion {
    /// The lowest version with these three parts, the prerelease `0`; a range that ends before it also
    /// excludes the prereleases of its upper end.
    fileprivate static func lowest(_ major: Int, _ minor: Int, _ patch: Int) -> SemanticVersion {
        SemanticVersion(major, minor, patch, prerelease: [PrereleaseIdentifier(text: "0")])
    }
}
