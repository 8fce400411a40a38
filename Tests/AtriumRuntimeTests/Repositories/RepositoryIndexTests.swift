import AtriumManifest
import TestSupport
import Testing

@testable import AtriumModules
@testable import AtriumRepositories

@Suite("The index of a repository")
struct RepositoryIndexTests {
    private static let digest = String(repeating: "0123456789abcdef", count: 4)

    private static func entry(_ replaced: String = "", by replacement: String = "") -> String {
        let text = """
            {"name":"Notes","version":"1.2.0","summary":"Keeps notes","requires":{"Tags":"^1.0.0"},\
            "sdk":"0.5.0","inlinedLayout":2,"compiler":"6.3.1","file":"libNotes.so","size":10,\
            "sha256":"\(digest)"}
            """
        return replaced.isEmpty ? text : text.replacing(replaced, with: replacement)
    }

    private func read(_ entries: String...) throws(ManifestError) -> RepositoryIndex {
        try RepositoryIndex(
            json: Array(#"{"version":1,"modules":[\#(entries.joined(separator: ","))]}"#.utf8))
    }

    @Test("It is read and written alike, sorted by name and version")
    func roundTrip() throws {
        let index = try read(
            Self.entry("1.2.0", by: "1.10.0"), Self.entry(),
            Self.entry("\"name\":\"Notes\"", by: "\"name\":\"Lists\""))

        #expect(
            index.entries.map { "\($0.name) \($0.version)" } == [
                "Lists 1.2.0", "Notes 1.2.0", "Notes 1.10.0",
            ])
        #expect(index.entries[1].requires.map(\.description) == ["Tags ^1.0.0"])
        #expect(try RepositoryIndex(json: Array(index.text.utf8)) == index)
        #expect(index.text.split(separator: "\n").count == 8)
    }

    @Test(
        "A file that is not in the folder itself is refused",
        arguments: [
            "../libNotes.so", "/srv/libNotes.so", "lib/../../x.so", "lib/x.so", "..", "", "libNotes.txt",
            ".libNotes.so", "lib\\nNotes.so", "lib\\u0000.so",
        ])
    func files(_ file: String) throws {
        let error = #expect(throws: ManifestError.self) { try read(Self.entry("libNotes.so", by: file)) }

        #expect(error?.findings.map(\.field) == ["modules[0].file"])
    }

    @Test(
        "Values that no library has are refused",
        arguments: [
            ("\"size\":10", "\"size\":-1", "modules[0].size"),
            ("\"size\":10", "\"size\":1e300", "modules[0].size"),
            ("\"size\":10", "\"size\":\"10\"", "modules[0].size"),
            ("\"inlinedLayout\":2", "\"inlinedLayout\":1.5", "modules[0].inlinedLayout"),
            (digest, digest.uppercased(), "modules[0].sha256"), (digest, "ab", "modules[0].sha256"),
            ("1.2.0", "1.2", "modules[0].version"),
            ("\"name\":\"Notes\"", "\"name\":\"notes\"", "modules[0].name"),
            ("^1.0.0", "one", "modules[0].requires.Tags"), ("Tags", "Notes", "modules[0].requires.Notes"),
            ("Keeps notes", "Keeps\\u001b[2J", "modules[0].summary"),
            ("\"sdk\"", "\"kit\"", "modules[0].sdk"),
        ])
    func values(_ value: String, _ replacement: String, _ field: String) throws {
        let error = #expect(throws: ManifestError.self) { try read(Self.entry(value, by: replacement)) }

        #expect(error?.findings.contains { $0.field == field } == true, "\(error?.sentence ?? "")")
    }

    @Test("What is no index is refused with a sentence")
    func others() {
        func finding(_ text: String) -> String? {
            let error = #expect(throws: ManifestError.self) { try RepositoryIndex(json: Array(text.utf8)) }
            return error?.findings.first?.message
        }

        #expect(finding("") != nil && finding("[]") != nil && finding("{}") != nil)
        #expect(finding(#"{"version":2,"modules":{}}"#) == "This host reads version 1 of the format.")
        #expect(finding(#"{"version":1,"modules":{}}"#) == "Found an object; allowed: an array.")
        #expect(
            finding(String(repeating: "[", count: 100_000))
                == "Arrays and objects nest deeper than 64 levels.")
        #expect(
            finding("{\"version\":1,\"modules\":[\(Self.entry()),\(Self.entry("1.2.0", by: "1.2.0+b"))]}")
                == "Notes 1.2.0+b appears twice.")
    }

    @Test("An index has 10,000 entries at most")
    func entryLimit() throws {
        let numbers = String(repeating: "1,", count: RepositoryIndex.entryLimit)

        let error = #expect(throws: ManifestError.self) { try read(numbers + "1") }

        #expect(error?.findings.map(\.message) == ["Found 10001 items; allowed: 10000 or less."])
    }

    @Test("A digest is the one that sha256sum prints")
    func sha256() {
        #expect(
            RepositoryIndex.digest(of: Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
