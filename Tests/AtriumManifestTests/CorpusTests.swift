import Foundation
import Testing

@testable import AtriumManifest

/// The files of `Corpus`, in folders that say what is expected of them.
///
/// - `valid`: the schema and the reader accept the file
/// - `invalid`: both refuse it
/// - `beyond-schema`: only the reader refuses it, by a rule that JSON Schema can't express
@Suite("Schemas and readers")
struct CorpusTests {
    enum Kind: String, CaseIterable {
        case module, host

        var schema: String { self == .module ? "module.schema.json" : "modules.schema.json" }
    }

    enum Verdict: String, CaseIterable {
        case valid, invalid
        case beyondSchema = "beyond-schema"
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Kind
        let verdict: Verdict
        let file: URL

        var testDescription: String { "\(kind)/\(verdict.rawValue)/\(file.lastPathComponent)" }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static let cases = Kind.allCases.flatMap { kind in
        Verdict.allCases.flatMap { verdict in
            let folder = folder.appending(path: "Corpus/\(kind)/\(verdict.rawValue)")
            let files = try? FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            return (files ?? []).sorted { $0.path < $1.path }.map {
                Case(kind: kind, verdict: verdict, file: $0)
            }
        }
    }

    @Test("The reader accepts the valid files, and has findings for all others", arguments: cases)
    func reader(_ example: Case) throws {
        let json = Array(try Data(contentsOf: example.file))
        var findings: [Finding] = []

        do throws(ManifestError) {
            switch example.kind {
            case .module: _ = try ModuleManifest(json: json, file: "module.json", form: .authored)
            case .host: _ = try HostConfiguration(json: json, file: "modules.json")
            }
        } catch {
            findings = error.findings
        }

        #expect(findings.isEmpty == (example.verdict == .valid), "\(findings)")
    }

    @Test(
        "The schema for editors agrees with the reader, except for rules that it can't express",
        arguments: Kind.allCases)
    func schema(_ kind: Kind) throws {
        let cases = Self.cases.filter { $0.kind == kind }
        try #require(Set(cases.map(\.verdict)).count == 3)
        try #require(cases.count >= 40)
        let schema = Self.folder.appending(path: "../../Sources/AtriumKit/Schemas/\(kind.schema)")

        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments =
            [Self.folder.appending(path: "validate.py").path, schema.path] + cases.map(\.file.path)
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()

        let expected = cases.map { "\($0.verdict == .invalid ? "invalid" : "valid") \($0.file.path)" }
        try #require(process.terminationStatus == 0, "Install python3-jsonschema: make test-setup")
        #expect(output.split(separator: "\n").map(String.init) == expected)
    }
}
