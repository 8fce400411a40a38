/// A version as semver.org 2.0.0 defines it: `1.4.2`, `2.0.0-beta.1`, `1.0.0+build.7`.
///
/// Versions that differ only in build metadata are equal, because the specification leaves it out of
/// precedence.
public struct SemanticVersion: Sendable {
    /// The largest number that a part may be: the largest that JSON numbers carry exactly, as in npm.
    public static let largestPart = 9_007_199_254_740_991

    /// Changes with incompatible changes.
    public let major: Int

    /// Changes with compatible additions.
    public let minor: Int

    /// Changes with compatible corrections.
    public let patch: Int

    /// The dot-separated identifiers after `-`; empty for a release.
    public let prerelease: [PrereleaseIdentifier]

    /// The text after `+`, which comparison ignores.
    public let build: String?

    /// Makes a release from its three parts.
    ///
    /// - Precondition: No part is negative or larger than ``largestPart``.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        precondition(
            [major, minor, patch].allSatisfy { (0...Self.largestPart).contains($0) },
            "A part of a version is from 0 to \(Self.largestPart).")
        self.init(major, minor, patch, prerelease: [], build: nil)
    }

    /// Makes a version from parts that were read, or that bound a range and may be one larger than ``largestPart``.
    init(_ major: Int, _ minor: Int, _ patch: Int, prerelease: [PrereleaseIdentifier], build: String?) {
        self.major = major
        self.minor = minor
        self.patch = patch
        self.prerelease = prerelease
        self.build = build
    }

    /// Whether both have the same major, minor and patch, whatever their prereleases.
    func hasSameParts(as other: SemanticVersion) -> Bool {
        major == other.major && minor == other.minor && patch == other.patch
    }
}

extension SemanticVersion: Comparable, Hashable {
    /// Precedence as in section 11 of the specification: a prerelease comes before its release.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        let leftParts = (left.major, left.minor, left.patch)
        let rightParts = (right.major, right.minor, right.patch)
        guard leftParts == rightParts else { return leftParts < rightParts }
        if left.prerelease.isEmpty || right.prerelease.isEmpty {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }

    /// Equal precedence: everything but the build metadata is the same.
    public static func == (left: SemanticVersion, right: SemanticVersion) -> Bool {
        left.hasSameParts(as: right) && left.prerelease == right.prerelease
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(major)
        hasher.combine(minor)
        hasher.combine(patch)
        hasher.combine(prerelease)
    }
}

extension SemanticVersion: LosslessStringConvertible {
    /// Reads a version; `nil` if ``init(parsing:)`` throws.
    public init?(_ description: String) {
        guard let version = try? SemanticVersion(parsing: description) else { return nil }
        self = version
    }

    /// The version as it is written, build metadata included.
    public var description: String {
        var text = "\(major).\(minor).\(patch)"
        if !prerelease.isEmpty { text += "-" + prerelease.map(\.description).joined(separator: ".") }
        if let build { text += "+" + build }
        return text
    }
}

extension SemanticVersion {
    /// Reads a version: three numbers, then optionally `-` and a prerelease, then optionally `+` and
    /// build metadata.
    ///
    /// - Throws: ``VersionSyntaxError`` naming the piece that is wrong.
    public init(parsing text: String) throws(VersionSyntaxError) {
        do {
            var reader = VersionReader(text)
            self = try reader.version()
        } catch {
            throw VersionSyntaxError(
                message: "\(Wording.quoted(text)) is not a version: \(error.reason); allowed: three numbers "
                    + "such as 1.0.0, then optionally a prerelease and build metadata, as in 1.0.0-beta.1+7.",
                isTooLarge: error.isTooLarge)
        }
    }
}

extension VersionReader {
    /// Reads a whole version and nothing after it.
    fileprivate mutating func version() throws(VersionRefusal) -> SemanticVersion {
        let major = try number("major")
        let minor = try number("minor", after: "major")
        let patch = try number("patch", after: "minor")
        let prerelease = take("-") ? try self.prerelease() : []
        let build = take("+") ? try self.build() : nil
        if !isAtEnd { throw VersionRefusal(reason: "found \(Wording.quoted(remainder)) at its end") }
        return SemanticVersion(major, minor, patch, prerelease: prerelease, build: build)
    }

    private mutating func number(_ name: String, after earlier: String) throws(VersionRefusal) -> Int {
        if take(".") { return try number(name) }
        throw VersionRefusal(
            reason: isAtEnd
                ? "its \(name) number is missing"
                : "found \(Wording.quoted(remainder)) after its \(earlier) number")
    }
}

/// One of the identifiers after the `-` of a version: `beta`, `11`.
///
/// Numbers are kept as digits, so that their length is not limited; without leading zeros, a longer
/// number is the larger one.
public struct PrereleaseIdentifier: Sendable, Hashable {
    /// The identifier as it is written.
    let text: String

    /// Whether it is a number, which orders by value and before every word.
    let isNumeric: Bool

    init(checked text: String) {
        self.text = text
        self.isNumeric = text.utf8.allSatisfy(\.isDigit)
    }
}

extension PrereleaseIdentifier: Comparable {
    /// Numbers by value and before words; words by their ASCII letters.
    public static func < (left: PrereleaseIdentifier, right: PrereleaseIdentifier) -> Bool {
        switch (left.isNumeric, right.isNumeric) {
        case (true, true): (left.text.utf8.count, left.text) < (right.text.utf8.count, right.text)
        case (false, false): left.text < right.text
        case (let leftIsNumeric, _): leftIsNumeric
        }
    }
}

extension PrereleaseIdentifier: CustomStringConvertible {
    /// The identifier as it is written.
    public var description: String { text }
}

/// A text that is no version, or no range of versions.
public struct VersionSyntaxError: Error, Sendable, Hashable {
    /// A sentence: what was found and what is allowed.
    public let message: String

    /// Whether it is one, but of numbers that are too large.
    let isTooLarge: Bool
}

extension VersionSyntaxError: CustomStringConvertible {
    /// The sentence.
    public var description: String { message }
}
