import Testing

@testable import AtriumManifest

/// The tables follow npm's `test/fixtures/range-include.js`, `range-exclude.js` and `range-parse.js`.
@Suite("VersionRange")
struct VersionRangeTests {
    @Test(
        "A range contains the versions that npm includes",
        arguments: [
            ("1.2.3", "1.2.3"), ("=1.2.3", "1.2.3"), ("1.2.3", "1.2.3+build"), ("*", "0.0.0"), ("*", "1.2.3"),
            ("x", "9.9.9"), ("X", "1.0.0"), ("*.2", "3.4.5"), (">=*", "0.2.4"), ("^1.2.0", "1.2.0"),
            ("^1.2.0", "1.99.0"),
            ("^1.2", "1.4.2"), ("^1", "1.8.1"), ("^0.1.2", "0.1.2"), ("^0.1.2", "0.1.9"), ("^0.1", "0.1.2"),
            ("^0", "0.5.0"), ("^0.0.1", "0.0.1"), ("^0.0", "0.0.9"), ("^0.x", "0.9.0"), ("^1.x", "1.9.9"),
            ("^*", "7.0.0"), ("~1", "1.2.3"), ("~1.2", "1.2.9"), ("~1.2.3", "1.2.3"), ("~0", "0.9.0"),
            ("~0.0.1", "0.0.2"),
            ("~ 1.0", "1.0.2"), ("1", "1.9.9"), ("1.x", "1.0.0"), ("1.2", "1.2.7"), ("1.2.*", "1.2.3"),
            ("2.x.x", "2.1.3"), ("1.x.3", "1.5.0"), (">1.2", "1.3.0"), (">1", "2.0.0"), (">=1", "1.0.0"),
            (">= 1.0.0", "1.1.0"), ("<=1.2", "1.2.9"), ("<=2", "2.9.9"), ("<1.2", "1.1.1"),
            ("<2.0.0", "1.9.9"),
            (">=1.0.0 <2.0.0", "1.5.0"), ("  >=1.0.0   <=2.0.0 ", "2.0.0"), ("^1.0.0 >1.2.0", "1.2.1"),
            ("~1.2.1 >=1.2.3", "1.2.3"), ("^1.2.3-alpha", "1.2.3-pre"), ("^1.2.0-alpha", "1.2.0-pre"),
            ("^0.0.1-alpha", "0.0.1-beta"), ("~1.2.3-beta.2", "1.2.3-beta.4"), (">=1.0.0-rc.1", "1.0.0-rc.2"),
            ("1.0.0-beta", "1.0.0-beta"), ("^1.2.3-beta", "1.9.0"), (">1.0.0-rc.1 <1.0.0", "1.0.0-rc.9"),
            ("^1.2.3+build", "1.3.0"),
        ] as [(String, String)])
    func contains(range: String, version: String) throws {
        #expect(try VersionRange(parsing: range).contains(SemanticVersion(parsing: version)))
    }

    @Test(
        "A range does not contain the versions that npm excludes",
        arguments: [
            ("1.2.3", "1.2.4"), ("^1.2.0", "1.1.9"), ("^1.2.0", "2.0.0"), ("^1.2", "1.1.9"), ("^1", "2.0.0"),
            ("^0.1.2", "0.2.0"), ("^0.1", "0.2.0"), ("^0.0.1", "0.0.2"), ("^0.0", "0.1.0"), ("^0", "1.0.0"),
            ("~1.2.3", "1.3.0"), ("~1.2.3", "1.2.2"), ("~1.2", "1.3.0"), ("~1", "2.0.0"), ("~0.1.0", "0.2.0"),
            ("1", "2.0.0"), ("1.2", "1.3.0"), ("1.2.x", "1.3.3"), ("2.x.x", "3.1.3"), (">1.2", "1.2.8"),
            (">1", "1.9.9"),
            ("<1.2", "1.2.0"), ("<=1.2", "1.3.0"), ("<=1", "2.0.0"), (">=1.2.0", "1.1.9"),
            ("<2.0.0", "2.0.0"),
            (">*", "1.0.0"), ("<*", "0.0.0"), (">=1.0.0 <2.0.0", "2.0.0"), (">=1.0.0 <2.0.0", "0.9.9"),
            ("^1.0.0 >1.2.0", "1.2.0"),
            // A prerelease is only in a range that names one of the same three numbers.
            ("*", "1.2.3-beta"), ("^1.2.3", "1.2.3-pre"), ("^1.2.3", "2.0.0-pre"), ("^1.2", "1.2.0-pre"),
            ("^1.2.3-alpha", "1.3.0-alpha"), ("^1.2.3-alpha", "2.0.0-alpha"), ("^1.2.3-beta", "1.2.3-alpha"),
            ("~1.2.3-beta", "1.2.4-beta"), ("<2.0.0", "2.0.0-alpha"), ("<1.2", "1.2.0-beta"),
            ("<=1", "2.0.0-alpha"),
            (">1.2", "1.3.0-beta"), ("1.x", "1.0.0-a"), (">=1.0.0-rc.1", "1.1.0-rc.1"),
            ("1.2.3", "1.2.3-beta"),
        ] as [(String, String)])
    func excludes(range: String, version: String) throws {
        #expect(try !VersionRange(parsing: range).contains(SemanticVersion(parsing: version)))
    }

    @Test("The description is the original text, spaces included", arguments: ["^1.2", " >=1.0.0  <2 ", "*"])
    func description(text: String) throws {
        #expect(try VersionRange(parsing: text).description == text)
    }

    @Test(
        "The error about an invalid range has the reason and what is allowed",
        arguments: [
            ("", "it is empty"), ("  ", "it is empty"),
            ("latest", "found 'latest' instead of its major number"),
            ("^", "its major number is missing"), ("1.", "its minor number is missing"),
            ("1.2.3 || 2", "found '|| 2' instead of its major number"),
            ("1.0.0 - 2.0.0", "found '- 2.0.0' instead of its major number"),
            ("v1.2.3", "found 'v1.2.3' instead of its major number"),
            ("^^1", "found '^1' instead of its major number"),
            ("1.2.3.4", "found '.4' after a version"), (">=1.0.0,<2", "found ',<2' after a version"),
            ("1.x-beta", "found '-beta' after a version"), ("01.0.0", "its major number has a leading zero"),
            ("^9007199254740992", "its major number is larger than 9007199254740991"),
            ("^1.0.0-01", "its prerelease number '01' has a leading zero"),
        ] as [(String, String)])
    func message(text: String, reason: String) {
        let error = #expect(throws: VersionSyntaxError.self) { try VersionRange(parsing: text) }
        #expect(
            error?.message
                == "'\(text)' is not a version range: \(reason); allowed: 1.2.3, ^1.2.0, ~1.2, comparisons such as "
                + "'>=1.0.0 <2.0.0', or *.")
    }

    @Test(
        "The major version of a range is that of all versions in it",
        arguments: [
            ("^1.2.0", 1), ("~2.1", 2), ("1.2.3", 1), ("=3.0.0", 3), ("2.x", 2), (">=1.1.0 <2.0.0", 1),
            (">1.0.0 <=1.5.0", 1), ("^0.3", 0), (">=1.0.0 <3.0.0", nil), (">=1.0.0", nil), ("<2.0.0", nil),
            ("*", nil), (">=1.0.0 <=2.0.0", nil),
        ] as [(String, Int?)])
    func major(range: String, major: Int?) throws {
        #expect(try VersionRange(parsing: range).major == major)
    }

    @Test("Ranges of the largest possible numbers don't overflow", arguments: ["^", "~", "", "<=", ">"])
    func largest(sign: String) throws {
        let largest = SemanticVersion.largestPart
        let version = SemanticVersion(largest, largest, largest)

        #expect(try VersionRange(parsing: "\(sign)\(largest)").contains(version) == (sign != ">"))
        #expect(try VersionRange(parsing: "\(sign)\(largest).\(largest)").contains(version) == (sign != ">"))
        #expect(try VersionRange(parsing: "\(sign)\(version)").contains(version) == (sign != ">"))
    }
}
