/// A version as semver.org 2.0.0 defines it: `1.4.2`, `2.0.0-beta.1`, `1.0.0+build.7`.
///
/// Versions that differ only in build metadata are equal, because the specification leaves it out of
/// precedence.
public struct SemanticVersion: Sendable {
    /// The largest allowed part: the largest integer that JSON numbers carry exactly, as in npm.
    static let largestPart = 9_007_199_254_740_991

    /// The first number, which an incompatible change increases.
    public let major: Int
    /// The second number, which a compatible addition increases.
    public let minor: Int
    /// The third number, which a correction increases.
    public let patch: Int

    /// The dot-separated identifiers after `-`; empty for a release.
    let prerelease: [PrereleaseIdentifier]

    /// True if identifiers such as `beta.1` follow the numbers, so that it comes before its release.
    public var isPrerelease: Bool { !prerelease.isEmpty }

    /// The text after `+`, which comparison ignores.
    let build: String?

    /// Creates a release, without prerelease and build metadata.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.init(major, minor, patch, prerelease: [])
    }

    /// Makes a version from parts that were read, or that bound a range and may be ``largestPart`` plus one.
    init(
        _ major: Int, _ minor: Int, _ patch: Int, prerelease: [PrereleaseIdentifier], build: String? = nil
    ) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
        (self.prerelease, self.build) = (prerelease, build)
    }

    func hasSameParts(as other: SemanticVersion) -> Bool {
        (major, minor, patch) == (other.major, other.minor, other.patch)
    }
}

extension SemanticVersion: Comparable, Hashable {
    /// Precedence as in section 11 of the specification: a prerelease comes before its release.
    public static func < (left: SemanticVersion, right: SemanticVersion) -> Bool {
        guard left.hasSameParts(as: right) else {
            return (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
        }
        if left.prerelease.isEmpty || right.prerelease.isEmpty { return !left.prerelease.isEmpty }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }

    /// Equal precedence: everything except the build metadata is the same.
    public static func == (left: SemanticVersion, right: SemanticVersion) -> Bool {
        left.hasSameParts(as: right) && left.prerelease == right.prerelease
    }

    /// Hashes what `==` compares, so not the build metadata.
    public func hash(into hasher: inout Hasher) {
        hasher.combine([major, minor, patch])
        hasher.combine(prerelease)
    }
}

extension SemanticVersion: CustomStringConvertible {
    /// Reads a version: three numbers, then optionally `-` and a prerelease, then optionally `+` and
    /// build metadata.
    ///
    /// - Throws: ``VersionSyntaxError`` naming the wrong part.
    public init(parsing text: String) throws(VersionSyntaxError) {
        do throws(VersionSyntaxError) {
            var reader = VersionReader(text)
            let major = try reader.number("major")
            let minor = try reader.number("minor", after: "major")
            let patch = try reader.number("patch", after: "minor")
            let (prerelease, build) = try reader.suffixes()
            if !reader.isAtEnd {
                throw VersionSyntaxError(message: "found \(Wording.quoted(reader.remainder)) at its end")
            }
            self.init(major, minor, patch, prerelease: prerelease, build: build)
        } catch {
            throw VersionSyntaxError(
                message: "\(Wording.quoted(text)) is not a version: \(error.message); allowed: three numbers "
                    + "such as 1.0.0, then optionally a prerelease and build metadata, as in 1.0.0-beta.1+7.",
                isTooLarge: error.isTooLarge)
        }
    }

    /// The version as ``init(parsing:)`` reads it, including the build metadata.
    public var description: String {
        var text = "\(major).\(minor).\(patch)"
        if !prerelease.isEmpty { text += "-" + prerelease.map(\.text).joined(separator: ".") }
        if let build { text += "+" + build }
        return text
    }
}

/// An identifier after the `-` of a version: `beta`, `11`.
///
/// Numbers are kept as digits, so their length is unlimited; without leading zeros, the longer number is the
/// larger.
struct PrereleaseIdentifier: Hashable, Comparable {
    let text: String

    private var isNumeric: Bool { text.utf8.allSatisfy(\.isDigit) }
    fileprivate var hasLeadingZero: Bool { isNumeric && text.hasPrefix("0") && text != "0" }

    /// Compares numbers by value and before words, words by their ASCII letters.
    static func < (left: PrereleaseIdentifier, right: PrereleaseIdentifier) -> Bool {
        switch (left.isNumeric, right.isNumeric) {
        case (true, true): (left.text.utf8.count, left.text) < (right.text.utf8.count, right.text)
        case (false, false): left.text < right.text
        case (let leftIsNumeric, _): leftIsNumeric
        }
    }
}

/// A string that is not a version, or not a version range.
public struct VersionSyntaxError: Error {
    /// The refused string, the problem and what is allowed, in one sentence.
    public let message: String

    /// True if the syntax is valid but the numbers are too large.
    var isTooLarge = false
}

/// Reads the parts of versions and version ranges; its error messages are the middle of a sentence.
struct VersionReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }
    var remainder: String { String(Substring(rest)) }

    /// Skips a string if it is next.
    mutating func take(_ piece: String) -> Bool {
        guard rest.starts(with: piece.utf8) else { return false }
        rest = rest.dropFirst(piece.utf8.count)
        return true
    }

    /// Skips spaces and returns whether there were any.
    mutating func skipSpaces() -> Bool {
        let count = rest.count
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return rest.count < count
    }

    /// Reads a part of a version: a number without leading zeros, after a dot unless it is the first.
    mutating func number(
        _ name: String, after earlier: String? = nil
    ) throws(VersionSyntaxError) -> Int {
        let isNext = earlier == nil || take(".")
        let digits = isNext ? rest.prefix(while: \.isDigit) : rest.prefix(0)
        if digits.isEmpty {
            let position = isNext ? "instead of its \(name)" : "after its \(earlier ?? "")"
            throw VersionSyntaxError(
                message: isAtEnd
                    ? "its \(name) number is missing"
                    : "found \(Wording.quoted(remainder)) \(position) number")
        }
        if digits.count > 1, digits.first == UInt8(ascii: "0") {
            throw VersionSyntaxError(message: "its \(name) number has a leading zero")
        }
        let largest = SemanticVersion.largestPart
        guard let value = Int(Substring(digits)), value <= largest else {
            throw VersionSyntaxError(
                message: "its \(name) number is larger than \(largest)", isTooLarge: true)
        }
        rest = rest.dropFirst(digits.count)
        return value
    }

    /// Reads a prerelease and build metadata, if they are next.
    mutating func suffixes() throws(VersionSyntaxError) -> ([PrereleaseIdentifier], build: String?) {
        let prerelease = take("-") ? try identifiers("prerelease").map(PrereleaseIdentifier.init) : []
        if let wrong = prerelease.first(where: \.hasLeadingZero) {
            throw VersionSyntaxError(message: "its prerelease number '\(wrong.text)' has a leading zero")
        }
        return (prerelease, take("+") ? try identifiers("build").joined(separator: ".") : nil)
    }

    private mutating func identifiers(_ kind: String) throws(VersionSyntaxError) -> [String] {
        var identifiers: [String] = []
        repeat {
            let letters = rest.prefix { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
            if letters.isEmpty { throw VersionSyntaxError(message: "a \(kind) identifier is empty") }
            rest = rest.dropFirst(letters.count)
            identifiers.append(String(Substring(letters)))
        } while take(".")
        return identifiers
    }
}

/// The version of AtriumKit that this package builds.
public enum SDKVersion {
    /// The version that the build stamps into the manifest of every module.
    public static let current = SemanticVersion(0, 6, 0)

    /// The oldest version whose modules still run: all since have only added declarations.
    public static let oldest = SemanticVersion(0, 5, 0)

    /// Counts the layouts of the code that AtriumKit compiles into modules (its folder `Container/Inlined`);
    /// stamped too, because code of another layout would read memory wrongly.
    public static let inlinedLayout = 2
}
