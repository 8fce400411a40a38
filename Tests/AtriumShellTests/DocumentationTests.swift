import AtriumKit
import AtriumLibraries
import Glibc
import TestSupport
import Testing

@testable import AtriumSnippets
@testable import AtriumText
@testable import AtriumViews

@Suite("Documentation of declarations")
struct DocumentationTests {
    private static let graph = """
        {"symbols": [
          {"kind": {"identifier": "swift.class", "displayName": "Class"}, "pathComponents": ["Shelf"],
           "location": {"uri": "file:///dev/null", "position": {"line": 41, "character": 6}},
           "docComment": {"lines": [{"text": "Holds books."}, {"text": ""}, {"text": "In order."}]},
           "declarationFragments": [{"spelling": "class"}, {"spelling": " "}, {"spelling": "Shelf"}]},
          {"kind": {"identifier": "swift.method", "displayName": "Instance Method"},
           "pathComponents": ["Shelf", "add(_:at:)"],
           "location": {"uri": "file:///nowhere/Shelf.swift", "position": {"line": 1, "character": 6}}}
        ]}
        """

    @Test(
        "A name finds declarations with or without what is around it",
        arguments: [
            ("Shelf", ["Shelf"]), ("add", ["Shelf.add(_:at:)"]), ("add(_:at:)", ["Shelf.add(_:at:)"]),
            ("Shelf.add", ["Shelf.add(_:at:)"]), ("Books.Shelf.add", ["Shelf.add(_:at:)"]),
            ("Books.Shelf", ["Shelf"]), ("Books", []), ("she", []), ("", []),
        ])
    func names(_ name: String, _ found: [String]) throws {
        let declarations = try SymbolGraph(Self.graph).declarations(of: name, in: "Books")

        #expect(declarations.map(\.name) == found)
    }

    @Test("Types come before members, with kind, declaration and paragraphs")
    func view() throws {
        let graph = try SymbolGraph(Self.graph)
        let found = graph.declarations(of: "add", in: "Books") + graph.declarations(of: "Shelf", in: "Books")
        let json = DocViews.list(found).json

        // Where the file is not on this machine, there is no line either.
        #expect(found.map(\.source) == [nil, "/dev/null:42"])
        #expect(json["rows"]?.elements?.map { $0["kind"] } == ["class", "instance method"])
        #expect(json["rows"]?.elements?[0]["documentation"] == "Holds books.\n\nIn order.")
        for found in [found, [found[1]]] {
            #expect(DocViews.list(found).json.members.map(\.key) == ["rows"])
        }
        let lines = TextRenderer(width: 60).render(DocViews.list([found[1]])).split(separator: "\n")
        #expect(lines.first == "Shelf" && lines.contains("  In order."), "\(lines)")
    }

    /// Symbol graphs take a moment, and are in a folder that no other one was written to.
    private static let extraction = """
        while [ "$1" != -output-dir ]; do shift; done
        mkdir "$2/used" && sleep 0.2 && echo '\(graph)' > "$2/AtriumKit.symbols.json"
        """

    @Test("Two names are looked up at the same time, each in a folder of its own")
    func concurrent() async throws {
        let folder = TemporaryFolder()
        let compiler = try await ScriptToolchain.compiler(
            in: folder, ["bin/swift-symbolgraph-extract": Self.extraction])

        async let shelf = compiler.declarations(of: "Shelf", in: [])
        async let add = compiler.declarations(of: "add", in: [])

        #expect(try await shelf.map(\.name) == ["Shelf"])
        #expect(try await add.map(\.name) == ["Shelf.add(_:at:)"])
    }

    @Test("The toolchain's answer names its parts; anything else is none")
    func toolchain() throws {
        let answer = """
            {"compilerVersion": "Swift version 6.3.1 (swift-6.3.1-RELEASE)",
             "target": {"triple": "x86_64-unknown-linux-gnu"},
             "paths": {"runtimeLibraryPaths": ["/opt/swift/usr/lib/swift/linux"],
                       "runtimeResourcePath": "/opt/swift/usr/lib/swift"}}
            """
        let toolchain = try #require(SwiftToolchain(answer))

        #expect(toolchain.version == "6.3.1")
        #expect(
            toolchain.symbolGraph(of: "A", [], in: "/tmp")[0]
                == "/opt/swift/usr/bin/swift-symbolgraph-extract")
        #expect(toolchain.linker("a.o", to: "a.so", [], importsMore: false).count == 1)
        #expect(SwiftToolchain("swiftly 1.0") == nil)
    }
}
