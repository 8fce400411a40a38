import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import AtriumPrompt
@testable import AtriumText
@testable import AtriumTranscripts

/// What a run may write: its reports, and the output in transcripts.
@Suite struct TranscriptUpdateTests {
    @Test(
        "Blocks and comments of a Markdown page are those of CommonMark",
        arguments: [
            ("``` console\n$ a\n```\n", ["a"]), ("~~~console\n$ a\n```\n~~~\n", ["a"]),
            ("````console\n$ a\n```\n````\n```console\n$ b\n```\n", ["a", "b"]),
            ("```console\n$ a\n``` x\n$ b\n```\n", ["a", "b"]),
            ("````md\n```console\n$ b\n```\n````\n```console\n$ a\n```\n", ["a"]),
            ("<!--\n```console\n$ b\n```\n-->\n```console\n$ a\n```\n", ["a"]),
            ("    ```console\n    $ b\n    ```\n```console\n$ a\n```\n", ["a"]),
            ("10. List\n\n    ```console\n    $ a\n    ```\n", ["a"]),
            ("- ```console\n  $ a\n  ```\n  $ b\n", ["a"]), ("   ```console\n   $ a\n   ```\n", ["a"]),
        ])
    func fences(page: String, typed: [String]) throws {
        let transcript = try Transcript(page, file: "a.md")

        #expect(transcript.steps.map(\.input) == typed)
        #expect(transcript.text == page)
    }

    @Test("In a list the output has no indentation, and gets it when the page is written")
    func list() throws {
        let page = "- List\n\n  ```console\n  $ a\n  1\n  \n  ```\n"
        let transcript = try Transcript(page, file: "a.md")

        #expect(transcript.steps[0].expected == ["1"])
        #expect(transcript.text == page)
        let text = transcript.text(with: [["2", "", " 3"]])
        #expect(text == "- List\n\n  ```console\n  $ a\n  2\n\n   3\n  \n  ```\n")
        #expect(transcript.problem(of: text, with: [["2", "", " 3"]]) == nil)
    }

    @Test(
        "Output that a page can't hold is refused with its line",
        arguments: [
            ("a.md", "x\n```", 4), ("a.md", "$ x", 3), ("a.md", "a\nb\natrium> x", 5), ("a.md", "> x", 3),
            ("a.transcript", "$ x", 2), ("a.transcript", "# x", 2),
        ])
    func unreadable(file: String, output: String, line: Int) throws {
        let page = file == "a.md" ? "```console\n$ a\n```\n" : "$ a\n"
        let transcript = try Transcript(page, file: file)
        let outputs = [output.split(separator: "\n").map(String.init)]

        let problem = transcript.problem(of: transcript.text(with: outputs), with: outputs)

        #expect(
            problem == "What was printed can't be written into it: line \(line) would not be read as output.")
    }

    @Test("Ends of lines and a byte order mark are kept")
    func form() throws {
        let folder = TemporaryFolder()
        let bytes = [0xEF, 0xBB, 0xBF] + Array("$ a\r\n1\r\n".utf8)

        let transcript = try Transcript(reading: folder.write(bytes, to: "a.transcript"))
        let text = transcript.text(with: [["2", "3"]])

        #expect(transcript.bytes == bytes)
        #expect(transcript.contents(text) == [0xEF, 0xBB, 0xBF] + Array("$ a\r\n2\r\n3\r\n".utf8))
        #expect(transcript.problem(of: text, with: [["2", "3"]]) == nil)
    }

    @Test("A report replaces no transcript, nothing that is read, and no file that is no recording")
    func reports() throws {
        let folder = TemporaryFolder()
        let names = ["a.transcript", "b.md", "modules.json", "notes.txt", "old.har", "old.html"]
        for name in names {
            folder.write((name == "old.har" ? #"{"log":{"entries":[]}}"# : "x").utf8, to: name)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.html"), withDestinationPath: folder.path("a.transcript"))
        func message(_ options: [(String, String)]) -> String? {
            do throws(ShellError) {
                let words = options.flatMap { [$0.0, folder.path($0.1)] }
                try ReportFiles.check(
                    try Options(["test", "a"] + words), transcripts: [folder.path("a.transcript")],
                    folder.path("modules.json"))
                return nil
            } catch {
                #expect(ExitStatus(error) == .usage)
                return error.message.replacing(folder.path(""), with: "")
            }
        }

        for name in ["a.transcript", "link.html", "b.md"] {
            let expected = "'\(name)' is a transcript; name the file of the report first."
            #expect(message([("--html", name)]) == expected)
            #expect(message([("--record-http", name)]) == expected)
        }
        #expect(message([("--xunit", "modules.json")])?.contains("is read by this run") == true)
        #expect(message([("--html", "x"), ("--xunit", "./x")])?.contains("both write") == true)
        #expect(message([("--html", "none/x.html")])?.contains("can't be written") == true)
        #expect(message([("--record-http", "notes.txt")])?.contains("is not a recording") == true)
        #expect(message([("--html", "old.html"), ("--record-http", "old.har"), ("--xunit", "x")]) == nil)
    }

    @MainActor @Test("A recording replaces an earlier one at the end, and only if a host has recorded")
    func recording() async throws {
        let folder = TemporaryFolder()
        let file = folder.write("old".utf8, to: "a.har")
        let options = try Options(["test", "a", "--record-http", file])
        let written = try #require(RequestRecording(options)).written
        let new = try #require(written.split(separator: "/").last.map(String.init))

        _ = try await RequestRecording.during(options) { .done }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "old")
        _ = try await RequestRecording.during(options) {
            folder.write("new".utf8, to: new)
            return .done
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        #expect(folder.names() == ["a.har"])
    }

    @Test("An option that takes a file takes no other option for it, and a tag has a name")
    func options() throws {
        for words in [["--html", "--json"], ["--record-http", "--json"], ["--tag", ""], ["--tag", "a,"]] {
            let error = #expect(throws: ShellError.self) { try Options(["test", "a"] + words) }
            #expect(error?.code == "usage")
        }
        #expect(try Options(["test", "a", "--html=--json"]).htmlFile == "--json")
    }
}
