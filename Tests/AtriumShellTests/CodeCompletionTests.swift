import Glibc
import TestSupport
import Testing

@testable import AtriumLanguage
@testable import AtriumSnippets

@Suite("Completion of Swift code")
struct CodeCompletionTests {
    @Test(
        "Code at the end of a line is completed as code, other words are not",
        arguments: [
            ("swift ses", 6) as (String, Int?), ("where; swift [1].", 13), ("let n = swift  1 + n", 15),
            ("swift (1...3).map {\n  $0.", 6), ("swift \"é\" + ses", 6), ("swift let x = ", 6),
            ("swift 1; whe", nil), ("swift", nil), ("swift ", nil), ("swift --sa", nil), ("swift 'ses", nil),
            ("where swift ses", nil), ("whe", nil), ("swift # ses", nil),
        ])
    func places(_ line: String, _ start: Int?) {
        #expect(Lexer.codeStart(in: line) == start)
    }

    @Test(
        "An interpolation is closed with its text, other code stays open",
        arguments: [
            (#""\(screen."#, #")""#), (#""a" + f(""#, ""), (#"[1].map { "\($0."#, #")""#),
            (#""\("b \(x["#, #"])")""#), (##"#"\(no) \#("##, ##")"#"##), ("\"\"\"\na \\(x.", ")\n\"\"\""),
            ("[1].map { $0.", ""), (#""\(x)" + "#, ""),
        ])
    func closing(_ code: String, _ end: String) {
        #expect(SwiftCode.closing(of: code) == end)
    }

    @Test("The file has the code at its end, and the values of all earlier lines")
    func file() throws {
        let known = [SnippetSource.Definition(module: "S1", name: "lamp", kind: .constant)]
        for code in ["1 + é.c", "let x: [Int] = [1].c", "for i in c", "struct S {\n  let y = c", "import c"] {
            let source = try SnippetSource(
                code, module: "S2", imports: ["import A"], aliases: [], known: known, isUnfinished: true)

            #expect(String(decoding: source.text.utf8.prefix(source.end), as: UTF8.self).hasSuffix("c"))
            let isClosure = !code.hasPrefix("struct") && !code.hasPrefix("import")
            #expect(source.text.contains("let lamp = S1._lamp.value!") == isClosure, "\(code)")
        }
    }

    /// What SourceKit says: a function, a value, `self`, another value, an argument.
    private static let answer = #"""
        {"key.results": [
          {"key.kind": "source.lang.swift.decl.function.method.instance", "key.sourcetext":
           "first(where: <#T##(Int) throws -> Bool#>)", "key.description": "first(where: (Int) throws -> Bool) rethrows",
           "key.typename": "Int?", "key.doc.brief": "Returns the first."},
          {"key.kind": "source.lang.swift.decl.var.instance", "key.sourcetext": "first",
           "key.description": "first", "key.typename": "Int?", "key.num_bytes_to_erase": 0},
          {"key.kind": "source.lang.swift.keyword", "key.sourcetext": "self", "key.description": "self"},
          {"key.kind": "source.lang.swift.decl.struct", "key.sourcetext": "Range", "key.description": "Range",
           "key.typename": "Range"},
          {"key.kind": "source.lang.swift.decl.var.global", "key.sourcetext": "_snippet", "key.description": "_"},
          {"key.kind": "source.lang.swift.pattern", "key.sourcetext": "<#T##Int#>", "key.description": "Int"}]}
        """#

    /// The candidates of a host whose child answers by a script.
    @MainActor
    private func candidates(
        _ script: String, of code: String = "[1].", typing prefix: String = "", closing: String = ""
    ) async throws -> [SourceKit.Candidate] {
        let folder = TemporaryFolder()
        let compiler = try ScriptToolchain.compiler(in: folder, ["atrium": script])
        folder.write([], to: "lib/libsourcekitdInProc.so")
        return try await compiler.completions(
            of: code + prefix, typing: prefix, closing: closing, naming: [], aliases: [])
    }

    @Test("A candidate is inserted up to its arguments, and shown with its type and documentation")
    func shown() async throws {
        let found = try await candidates("echo '\(Self.answer)'")
        let typed = try await candidates("echo '\(Self.answer)'", typing: "first")

        #expect(found.map(\.text) == ["first(where: ", "first", "Range"])
        #expect(
            found.map(\.summary) == [
                "first(where: (Int) throws -> Bool) rethrows -> Int?  Returns the first.", "Int?", nil,
            ])
        #expect(typed.map(\.text) == ["first(where: ", "first"])
    }

    private func text(_ name: String, in folder: TemporaryFolder) -> String {
        String(decoding: contents(folder.path(name)), as: UTF8.self)
    }

    @Test("The child gets the library of SourceKit and the place behind the code, in a file that is removed")
    func request() async throws {
        let folder = TemporaryFolder()
        let script = """
            cp "$2" \(folder.path("request")); echo "$2" > \(folder.path("path"))
            echo "$1" > \(folder.path("option"))
            """

        #expect(try await candidates(script, of: #""é" + "#, typing: "se").isEmpty)

        let (text, path) = (text("request", in: folder), text("path", in: folder).dropLast())
        #expect(self.text("option", in: folder) == "--sourcekit\n")
        #expect(access(String(path), F_OK) != 0)
        #expect(text.contains("libsourcekitdInProc.so") && text.contains("source.request.codecomplete.open"))
        #expect(
            text.contains("hidelowpriority: 1") && text.contains("filtertext: \\\"se\\\"")
                && text.contains(#"\\\"é\\\" + _"#), "\(text)")
    }

    @Test("In an interpolation, the place is before what closes it")
    func interpolation() async throws {
        let folder = TemporaryFolder()
        let script = "cp \"$2\" \(folder.path("request"))"

        _ = try await candidates(script, of: #""é \(s."#, closing: #")""#)

        let text = text("request", in: folder)
        let offset = try #require(text.firstMatch(of: /key.offset: (\d+)/).flatMap { Int($0.output.1) })
        let source = try SnippetSource(
            #""é \(s."#, module: "S", imports: [], aliases: [], known: [], isUnfinished: true)
        #expect(offset == source.end && text.contains(#"s._)\\\""#), "\(text)")
    }

    @Test("Modules to import are asked for, without those that belong to the host or are no module")
    func imports() async throws {
        let folder = TemporaryFolder()
        let names = ["Foundation", "AtriumKit", "AtriumKit.private", "feature"].map {
            #"{"key.kind": "source.lang.swift.decl.module", "key.sourcetext": "\#($0)", "key.description": "\#($0)"}"#
        }
        let script = """
            cp "$2" \(folder.path("request"))
            echo '{"key.results": [\(names.joined(separator: ", "))]}'
            """

        let found = try await candidates(script, of: "import ", typing: "F")
        let all = try await candidates(script, of: "import ")

        #expect(text("request", in: folder).contains("hidelowpriority: 0"))
        #expect(found.map(\.text) == ["Foundation"])
        #expect(all.map(\.text) == ["Foundation", "feature"])
    }

    @Test(
        "A child that crashes, prints something else or nothing completes nothing",
        arguments: [
            "kill -SEGV $$", "echo 'SOURCEKITD FATAL ERROR'", "exit 0", "echo '{\"key.results\": 1}'",
        ])
    func broken(_ script: String) async throws {
        #expect(try await candidates(script).isEmpty)
    }

    @Test("A toolchain without SourceKit completes nothing, and no child is started")
    @MainActor
    func without() async throws {
        let folder = TemporaryFolder()
        let compiler = try ScriptToolchain.compiler(
            in: folder, ["atrium": "touch \(folder.path("started"))"])

        #expect(try await compiler.completions(of: "s", typing: "s", naming: [], aliases: []).isEmpty)
        #expect(access(folder.path("started"), F_OK) != 0)
    }
}
