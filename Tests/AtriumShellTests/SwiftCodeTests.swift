import AtriumKit
import AtriumStorage
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumSnippets
@testable import AtriumText

@Suite("Swift code at the prompt")
struct SwiftCodeTests {
    // MARK: - Where it ends

    /// Lines with the words after `swift`, and the command after them.
    private static let lines: [(String, [String], String?)] = [
        ("swift 20 + 22; where", ["20 + 22"], "where"),
        (#"swift "a; b" + 'x' | $_ > f"#, [#""a; b" + 'x' | $_ > f"#], nil),
        (#"swift "\("a;" + f(";"))"; where"#, [#""\("a;" + f(";"))""#], "where"),
        ("swift f { $0; $1 }; where", ["f { $0; $1 }"], "where"),
        ("swift /* ; */ 1 // it's ; one\nwhere", ["/* ; */ 1 // it's ; one"], "where"),
        ("swift \"\"\"\na;\n\"\"\"; where", ["\"\"\"\na;\n\"\"\""], "where"),
        ("swift func f() {\n  1\n}\nwhere", ["func f() {\n  1\n}"], "where"),
        ("let n = swift f(1, 2); where", ["f(1, 2)"], "where"),
        ("time swift f(1, 2)", ["f(1, 2)"], nil),
        ("swift '1 + 1'; where", ["1 + 1"], "where"),
        ("swift --help", ["--help"], nil), ("swift; where", [], "where"),
    ]

    @Test(
        "Code is one word as it was typed, up to a ';' or a line end outside of brackets and texts",
        arguments: lines)
    func ends(_ line: String, _ code: [String], _ next: String?) throws {
        let commands = try Lexer.commands(in: line)

        let words = commands[0].words.map(\.text)
        #expect(Array(words.drop { $0 != "swift" }.dropFirst()) == code)
        #expect(commands.dropFirst().first?.words.map(\.text) == next.map { [$0] })
        #expect(commands[0].destination == nil)
    }

    @Test("A raw text ends with as many '#', and '#' alone begins a comment")
    func raw() throws {
        let lines = [##"swift #"a";\("b"#; where"##, ##"swift #"\#(f(";"))"#; where"##, "swift # a; where"]
        let words = try lines.map { try Lexer.commands(in: $0).map { $0.words.map(\.text) } }

        #expect(words[0] == [["swift", ##"#"a";\("b"#"##], ["where"]])
        #expect(words[1] == [["swift", ##"#"\#(f(";"))"#"##], ["where"]])
        #expect(words[2] == [["swift"]])
    }

    @Test(
        "A line goes on while something is open, and not after a text of one line",
        arguments: [
            ("swift f(", true) as (String, Bool), ("swift [1,", true), ("swift \"\"\"", true),
            ("swift /* a", true),
            ("swift f { \")\"", true), ("swift \"a", false), ("swift f()", false), ("swift f() // (", false),
            ("where (", false),
        ])
    func continues(_ line: String, _ goesOn: Bool) {
        #expect((Lexer.continuation(of: line) != nil) == goesOn)
    }

    @Test("A closing bracket in a later line ends the code")
    func later() {
        let first = Lexer.continuation(of: "swift func f() {")
        let second = Lexer.continuation(of: "  g(\"}\")", behind: first)

        #expect(first != nil && second != nil)
        #expect(Lexer.continuation(of: "}", behind: second) == nil)
        #expect(throws: ShellError.self) { try Lexer.commands(in: "swift f(") }
    }

    // MARK: - Its file

    private func source(
        _ code: String, known: [SnippetSource.Definition] = []
    ) throws -> SnippetSource {
        try SnippetSource(code, module: "S2", imports: [], aliases: [("A", "B<C>")], known: known)
    }

    @Test(
        "What defines something is kept by its name",
        arguments: [
            ("20 + 22", nil as String?), ("for i in 0..<3 { print(i) }", nil), ("letter + 1", nil),
            ("func f() {}", "f"), ("@MainActor final class C {}", "C"), ("let x: Int = 1", "x"),
            ("import Foundation", nil), ("var y = [1: 2]", "y"), ("extension Int {}", ""),
        ])
    func definitions(_ code: String, _ name: String?) throws {
        let definition = try source(code).definition

        #expect(definition.map { $0.name ?? "" } == name)
    }

    @Test(
        "An import names its module, whatever of it is imported, and is a line for later code",
        arguments: [
            ("import Catalog", "import Catalog"), ("import struct Catalog.Product", nil),
            ("import let Catalog.limit", nil), ("import Catalog // of products", nil),
            ("import Catalog\n", "import Catalog"), ("import  Catalog.Products", nil),
        ] as [(String, String?)])
    func imports(_ code: String, _ line: String?) throws {
        #expect(try source(code).imported == SnippetSource.Import(module: "Catalog", line: line ?? code))
    }

    @Test(
        "An import with other code is refused, as the code would be in the file of every later line",
        arguments: ["import Catalog\nfunc f() {}", "import Catalog; 1", "import A\nimport B"])
    func importsMore(_ code: String) throws {
        #expect(throws: SnippetError.self) { try source(code) }
        #expect(try source("1 + 1").imported == nil)
    }

    @Test("The code stands in its own lines and columns, where the compiler's errors point")
    func places() throws {
        for code in ["20 + x", "let a: Int = x", #"let é = "é" + x"#, "struct S {\n  let b = x\n}"] {
            let source = try source(code)
            let lines = source.text.split(separator: "\n", omittingEmptySubsequences: false)
            let line = try #require(
                lines.firstIndex { $0.hasSuffix("x") && !$0.contains("_x") }.map { $0 + 1 })
            let position = try #require(
                source.position(inLine: line, at: lines[line - 1].utf8.count, of: code))
            let typed = code.split(separator: "\n")[position.line - 1]
            #expect(position.column == typed.count, "\(code)")
            #expect(source.position(inLine: 1, at: 1, of: code) == nil)
        }
    }

    @Test("An error has the column of the typed line; in later lines of the code that of its line")
    func columns() throws {
        let commands = try Lexer.commands(in: #"where "é"; let n = swift  1 + x"#)
        let error = SnippetError.notCompiled("no 'x'", line: 1, column: 5, lines: 1)
        let later = SnippetError.notCompiled("no 'x'", line: 2, column: 5, lines: 2)

        #expect(commands[1].words.last?.column == 26)
        #expect(error.behind(26).message == "No 'x', at column 31.")
        #expect(later.behind(26).message == "No 'x', at line 2, column 5.")
    }

    @Test("Values of earlier lines are there if they are named, variables with what becomes of them")
    func values() throws {
        let known = [
            SnippetSource.Definition(module: "S1", name: "n", kind: .variable),
            SnippetSource.Definition(module: "S0", name: "f", kind: .declaration),
        ]

        #expect(
            try source("n + 1", known: known).text.contains("var n = S1._n.value!\ndefer { S1._n.value = n }")
        )
        #expect(!(try source("m + 1", known: known).text.contains("S1._n")))
        #expect(try source("let n = n + 1", known: known).text.contains("S1._n"))
        #expect(!(try source("let n = 1", known: known).text.contains("S1._n.")))
    }

    @Test("Interfaces are read with the module maps of their package's C modules, each once")
    func moduleMaps() throws {
        let package = TemporaryFolder()
        let build = ".build/debug"
        let folders = ["Sources/A", "Sources/CSystem", "Sources/CCode/include"]
        for folder in folders + ["\(build)/CCode.build", "\(build)/A.build"] {
            try Folder.create(package.path(folder))
        }
        let maps = ["Sources/CSystem", "\(build)/CCode.build", "\(build)/A.build"].map {
            package.write("module X {}".utf8, to: "\($0)/module.modulemap")
        }
        let modules = ["A", "B"].map {
            SnippetCompiler.Module(
                name: $0, loaded: $0, interfaces: $0, source: package.path("\(build)/lib\($0).so"),
                identity: "", digest: "")
        }

        #expect(
            modules.searchOptions == ["-I", "A", "-I", "B"]
                + [maps[1], maps[0]].flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] })
    }

    @Test("Code uses what the definitions before it use; those of a replaced build and their followers go")
    func kept() {
        func module(_ name: String, _ loaded: String) -> SnippetCompiler.Module {
            .init(name: name, loaded: loaded, interfaces: "", source: "", identity: "", digest: "")
        }
        func keep(_ name: String?, _ number: Int, naming modules: [SnippetCompiler.Module] = []) {
            kept.keep(
                .init(module: "S\(number)", name: name, kind: .declaration), in: "S\(number).so",
                using: kept.used(naming: modules))
        }
        var kept = KeptDefinitions()
        keep("first", 1)
        keep("product", 2, naming: [module("Catalog", "1")])
        keep("shelf", 3, naming: [module("Stock", "2")])

        #expect(kept.used(naming: [module("Catalog", "1")]).map(\.loaded) == ["1", "2"])
        keep("shelf", 4)
        #expect(kept.libraries == ["S1.so", "S2.so", "S4.so"])
        #expect(kept.forgetOutdated { $0 != "2" }.map(\.name) == ["shelf"])
        #expect(kept.used(naming: []).map(\.loaded) == ["1"])
        keep(nil, 5)
        #expect(kept.forgetOutdated { $0 == "2" }.map(\.name) == ["product", nil])
        #expect(kept.definitions.map(\.name) == ["first"])
        #expect(kept.used(naming: []).isEmpty)
    }

    @Test("An object that code returned is not kept alive by it; another value is")
    func last() {
        final class Lamp {}
        var lamp: Lamp? = Lamp()
        let last = LastValue(lamp as Any)
        let name = LastValue(Optional("Lamp") as Any)

        #expect(last.value as? Lamp === lamp)
        lamp = nil
        #expect(last.value == nil)
        #expect(name.value as? String == "Lamp")
        #expect(LastValue(nil).value == nil)
    }

    @Test(
        "A value without a name or a value is refused",
        arguments: ["let", "var x: Int", "let (a)", "let x = "])
    func noValue(_ code: String) throws {
        #expect(throws: SnippetError.self) { try source(code) }
    }

    // MARK: - As a test

    @Test("What ran is saved as a test: values, definitions, the screens that it used")
    func saved() throws {
        let lines: [(String, Any?)] = [
            ("import Foundation", nil), ("func twice(_ n: Int) -> Int { n * 2 }", nil), ("twice(21)", 42),
            ("func twice(_ n: Int) -> Int { n * 3 }", nil), ("var x: [Int] = [1]", [1]), ("x.append(2)", ()),
            ("let x = x.count", 2), ("viewModel(NoteList.self).title", "A \"note\""),
            ("extension Int { var half: Int { self / 2 } }", nil), ("for n in 1...x { print(n) }", nil),
        ]

        let test = try SavedTest(
            "2 notes", lines.map { SavedTest.Line($0, on: "notes?page=2", value: $1) },
            modules: ["NotesModule"], importing: ["Notes"], environment: "local")

        let end = try #require(test.text.firstRange(of: "    // The names in scope"))
        #expect(
            test.text[..<end.lowerBound] == """
                import AtriumKit
                import AtriumTesting
                import Foundation
                import Testing

                @testable import Notes

                extension Int { var half: Int { self / 2 } }

                @MainActor
                struct Saved2NotesTests {
                    let host: TestHost

                    init() async throws {
                        host = try await TestHost(NotesModule.self, environment: .local)
                    }

                    func twice(_ n: Int) -> Int { n * 3 }

                    @Test("2 notes")
                    func tried() async throws {
                        var x: [Int] = try await ([1])
                        _ = try await (x.append(2))
                        do {
                            let x = try await (x.count)
                            try await host.run("open notes?page=2")
                            let value1 = try await (viewModel(NoteList.self).title)
                            #expect(value1 == "A \\"note\\"")
                            for n in 1...x { print(n) }
                        }
                    }


                """)
    }
}
