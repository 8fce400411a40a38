import Testing

@testable import AtriumManifest

@Suite("SemanticVersion")
struct SemanticVersionTests {
    /// The valid versions of semver.org's test list.
    static let valid = [
        "0.0.4", "1.2.3", "10.20.30", "1.1.2-prerelease+meta", "1.1.2+meta", "1.1.2+meta-valid",
        "1.0.0-alpha",
        "1.0.0-beta", "1.0.0-alpha.beta", "1.0.0-alpha.beta.1", "1.0.0-alpha.1", "1.0.0-alpha0.valid",
        "1.0.0-alpha.0valid", "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay", "1.0.0-rc.1+build.1",
        "2.0.0-rc.1+build.123", "1.2.3-beta", "10.2.3-DEV-SNAPSHOT", "1.2.3-SNAPSHOT-123", "1.0.0", "2.0.0",
        "1.1.7", "2.0.0+build.1848", "2.0.1-alpha.1227", "1.0.0-alpha+beta",
        "1.2.3----RC-SNAPSHOT.12.9.1--.12+788",
        "1.2.3----R-S.12.9.1--.12+meta", "1.2.3----RC-SNAPSHOT.12.9.1--.12",
        "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
        "1.0.0-0A.is.legal", "1.0.0-99999999999999999999999",
    ]

    /// The invalid versions of that list, and some more.
    static let invalid = [
        "1", "1.2", "1.2.3-0123", "1.2.3-0123.0123", "1.1.2+.123", "+invalid", "-invalid", "-invalid+invalid",
        "-invalid.01", "alpha", "alpha.beta", "alpha.beta.1", "alpha.1", "alpha+beta", "alpha_beta", "alpha.",
        "alpha..", "beta", "1.0.0-alpha_beta", "-alpha.", "1.0.0-alpha..", "1.0.0-alpha..1",
        "1.0.0-alpha...1",
        "1.0.0-alpha....1", "01.1.1", "1.01.1", "1.1.01", "1.2.3.DEV", "1.2-SNAPSHOT",
        "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788",
        "1.2-RC-SNAPSHOT", "-1.0.3-gamma+b7718", "+justmeta", "9.8.7+meta+meta", "9.8.7-whatever+meta+meta",
        "", " 1.0.0", "1.0.0 ", "v1.0.0", "1.0.0\n", "1.0.0-é", "1.0.0-", "1.0.0+", "١.٢.٣",
    ]

    @Test("Valid versions print as they were written", arguments: valid)
    func roundTrip(text: String) throws {
        #expect(try SemanticVersion(parsing: text).description == text)
    }

    @Test("Invalid versions are refused", arguments: invalid)
    func refused(text: String) {
        #expect(throws: VersionSyntaxError.self) { try SemanticVersion(parsing: text) }
    }

    @Test("Precedence is that of section 11 of the specification")
    func precedence() throws {
        let ascending = try [
            "0.0.1", "0.1.0", "1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-99999999999999999999",
            "1.0.0-100000000000000000000", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
            "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1-0", "1.0.1", "1.2.0", "1.10.0",
            "2.0.0",
            "2.1.0", "2.1.1", "10.0.0",
        ].map { try SemanticVersion(parsing: $0) }

        for (index, lower) in ascending.enumerated() {
            #expect(!(lower < lower))
            for higher in ascending[(index + 1)...] {
                #expect(lower < higher)
                #expect(!(higher < lower))
                #expect(lower != higher)
            }
        }
        #expect(ascending.count == 23)
    }

    @Test("Build metadata does not affect equality and order")
    func buildMetadata() throws {
        let first = try SemanticVersion(parsing: "1.0.0-a+1")
        let second = try SemanticVersion(parsing: "1.0.0-a+2")

        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(!(first < second) && !(second < first))
        #expect(second.build == "2")
    }

    @Test(
        "The error about an invalid version names the part that is wrong",
        arguments: [
            ("1", "its minor number is missing"), ("1.2", "its patch number is missing"),
            ("", "its major number is missing"), ("v1.0.0", "found 'v1.0.0' instead of its major number"),
            ("1,0", "found ',0' after its major number"), ("1.02.0", "its minor number has a leading zero"),
            ("1.0.0-01", "its prerelease number '01' has a leading zero"),
            ("1.0.0-a..b", "a prerelease identifier is empty"), ("1.0.0+", "a build identifier is empty"),
            ("1.0.0 beta", "found ' beta' at its end"),
            ("9007199254740992.0.0", "its major number is larger than 9007199254740991"),
        ] as [(String, String)])
    func message(text: String, reason: String) {
        let error = #expect(throws: VersionSyntaxError.self) { try SemanticVersion(parsing: text) }
        #expect(
            error?.message
                == "'\(text)' is not a version: \(reason); allowed: three numbers such as 1.0.0, then optionally "
                + "a prerelease and build metadata, as in 1.0.0-beta.1+7.")
    }
}
