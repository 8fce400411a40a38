@_spi(Host) import AtriumKit
import AtriumManifest
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("The lock file")
struct LockFileTests {
    private let folder = TemporaryFolder()
    private static let one = String(repeating: "0123456789abcdef", count: 8)
    private static let two = String(repeating: "f", count: 128)

    private static let lock = LockFile(modules: [
        "UserProfile": LockFile.Entry(version: SemanticVersion(2, 0, 1), digest: two),
        "Session": LockFile.Entry(version: SemanticVersion(1, 0, 0), digest: one),
    ])

    private static let text = """
        {
          "version": 1,
          "modules": {
            "Session": {"version":"1.0.0","blake2b":"\(one)"},
            "UserProfile": {"version":"2.0.1","blake2b":"\(two)"}
          }
        }

        """

    private func read(_ text: String) throws -> LockFile {
        try LockFile(json: Array(text.utf8), file: "modules.lock")
    }

    @Test("The text has one line for each module, sorted by name")
    func text() {
        #expect(Self.lock.text == Self.text)
        #expect(LockFile().text == "{\n  \"version\": 1,\n  \"modules\": {}\n}\n")
    }

    @Test("Contracts are pinned by the names of their libraries, and read back")
    func contracts() throws {
        let entry = LockFile.Entry(version: SemanticVersion(1, 1, 0), digest: Self.one)
        let lock = LockFile(contracts: ["libPayments.so.1": entry])

        let text = lock.text

        #expect(text.contains("\n  \"contracts\": {\n    \"libPayments.so.1\": {\"version\":\"1.1.0\""))
        #expect(try read(text) == lock)
    }

    @Test("A written lock file reads back equal, and everyone can read it")
    func roundTrip() throws {
        let path = folder.path("modules.lock")
        try Self.lock.write(to: path)

        let lock = try LockFile.read(path)

        #expect(lock == Self.lock)
        #expect(contents(path) == Array(Self.text.utf8))
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o644)
        #expect(folder.names() == ["modules.lock"])
    }

    @Test("Spaces and the order of keys don't matter")
    func anyLayout() throws {
        let lock = try read(
            #"{"modules":{"Session":{"blake2b":"\#(Self.one)","version":"1.0.0"}},"version":1}"#)

        #expect(
            lock.modules == ["Session": LockFile.Entry(version: SemanticVersion(1, 0, 0), digest: Self.one)])
    }

    @Test("A missing lock file gives nil")
    func missing() throws {
        #expect(try LockFile.read(folder.path("modules.lock")) == nil)
    }

    @Test("An unreadable lock file is an error, not a missing one")
    func unreadable() {
        let error = #expect(throws: ConfigurationError.self) { try LockFile.read(folder.path) }

        #expect(error?.code == "lockUnreadable")
        #expect(error?.message == "The file '\(folder.path)' can't be read: Is a directory.")
        #expect(error?.hint == "Make it readable, or write it again with 'atrium lock'.")
    }

    @Test("All errors are reported with their line and key")
    func invalid() {
        let path = folder.write(#"{"version": 1, "modules": {"session": {}}}"#.utf8, to: "modules.lock")

        let error = #expect(throws: ConfigurationError.self) { try LockFile.read(path) }

        #expect(error?.code == "lockInvalid")
        #expect(
            error?.message == "'\(path)' is invalid: "
                + "line 1, modules.session: 'session' is not a valid module name; allowed: a capital letter, then "
                + "letters and digits, at most 64 in all, for example 'UserProfile'. "
                + "line 1, modules.session.version: Required key 'version' is missing. "
                + "line 1, modules.session.blake2b: Required key 'blake2b' is missing.")
        #expect(error?.hint == "Restore the file, or write it again with 'atrium lock'.")
    }

    @Test(
        "Invalid lock files are refused with line, column and key",
        arguments: [
            (
                "",
                "1:1: error: Found the end of the file; allowed: a string, a number, true, false, null, '[' or '{'."
            ),
            ("[]", "1:1: error: Found an array; allowed: an object."),
            (#"{"modules": {}}"#, "1:1: error: version: Required key 'version' is missing."),
            (#"{"version": 1}"#, "1:1: error: modules: Required key 'modules' is missing."),
            (#"{"version": 1, "modules": []}"#, "1:27: error: modules: Found an array; allowed: an object."),
            (
                #"{"version": 2, "pinned": {}}"#,
                "1:13: error: version: This host reads version 1 of the format."
            ),
            (
                #"{"version": "1", "modules": {}}"#,
                "1:13: error: version: This host reads version 1 of the format."
            ),
            (
                #"{"version": 1, "modules": {}, "module": 1}"#,
                "1:31: error: module: Unknown key 'module'; did you mean 'modules'? Allowed: version, modules, contracts."
            ),
            (
                #"{"version": 1, "modules": {"A": 1}}"#,
                "1:33: error: modules.A: Found an integer; allowed: an object."
            ),
            (
                #"{"version": 1, "modules": {"A": {"version": 1, "blake2b": "\#(one)"}}}"#,
                "1:45: error: modules.A.version: Found an integer; allowed: a string."
            ),
            (
                #"{"version": 1, "modules": {"A": {"version": "1.0", "blake2b": "\#(one)"}}}"#,
                "1:45: error: modules.A.version: '1.0' is not a version: its patch number is missing; allowed: "
                    + "three numbers such as 1.0.0, then optionally a prerelease and build metadata, as in 1.0.0-beta.1+7."
            ),
            (
                #"{"version": 1, "modules": {"A": {"version": "1.0.0", "blake2b": "\#(one)", "sha": ""}}}"#,
                "1:197: error: modules.A.sha: Unknown key 'sha'. Allowed: version, blake2b."
            ),
            (
                #"{"version": 1, "modules": {"A": {"version": "1.0.0", "blake2b": "\#(one)"}, "A": {}}}"#,
                "1:198: error: Key 'A' appears twice; the first is on line 1."
            ),
            (
                #"{"version": 1, "modules": {"A\u001b[31m": 1}}"#,
                #"""
                1:28: error: modules["A\u{1B}[31m"]: 'A\u{1B}[31m' is not a valid module name; allowed: a capital \#
                letter, then letters and digits, at most 64 in all, for example 'UserProfile'.
                modules.lock:1:43: error: modules["A\u{1B}[31m"]: Found an integer; allowed: an object.
                """#
            ),
        ])
    func otherShapes(json: String, finding: String) {
        let error = #expect(throws: ManifestError.self) { try read(json) }

        #expect(error?.description == "modules.lock:\(finding)")
    }

    @Test(
        "A digest must have 128 digits as b2sum prints them",
        arguments: [
            #""""#, #""\#(one.dropLast())""#, #""\#(one)0""#, #""\#(one)00""#,
            #""\#(one.uppercased())""#,
            #""\#(one.dropLast())g""#, #""\#(one.dropLast())é""#, #""\#(one.dropLast(2))+0""#,
        ])
    func otherDigests(digest: String) {
        let error = #expect(throws: ManifestError.self) {
            try read(#"{"version": 1, "modules": {"A": {"version": "1.0.0", "blake2b": \#(digest)}}}"#)
        }

        let message = error?.findings.first?.message
        #expect(error?.findings.count == 1)
        #expect(error?.description.hasPrefix("modules.lock:1:65: error: modules.A.blake2b: '") == true)
        #expect(
            message?.hasSuffix(
                "' is not a valid BLAKE2b digest; allowed: 128 of the digits 0-9 and a-f, as 'b2sum' prints them."
            )
                == true, "\(message ?? "")")
    }
}
