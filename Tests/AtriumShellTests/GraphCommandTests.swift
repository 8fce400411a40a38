@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumCommands
@testable import AtriumLibraries
@testable import AtriumModules
@testable import AtriumText

@Suite("Graphs of modules")
@MainActor
struct GraphCommandTests {
    private let shop: TestHost

    init() throws { shop = try TestHost() }

    private func lines(_ line: String) async throws -> [String] {
        try await shop.output(line).content?.verbatimLines ?? []
    }

    private static let head = ["  rankdir=TB;", "  node [shape=box, fontname=\"sans-serif\"];"]

    @Test("Modules have their requirements as arrows; what is not active or not installed differs")
    func modules() async throws {
        let json = """
            {"name": "Shop", "version": "1.2.3", "entry": "ShopModule", "summary": "Sells \\"items\\"",
             "requires": {"Idle": "^1.0.0", "Bank": "*"}, "sdk": "0.2.0", "inlinedLayout": "2",
             "compiler": "6.3.1"}
            """
        shop.host.runtime.modules[0].manifest = try ModuleManifest(
            json: Array(json.utf8), file: "module.json")

        #expect(
            try await lines("modules --tree --dot")
                == ["digraph Atrium {"] + Self.head + [
                    "  m0 [label=\"Shop 1.2.3\\nactive\"];",
                    "  m1 [label=\"Idle\\nwaiting\", style=dashed];",
                    "  m0 -> m1 [label=\"^1.0.0\"];",
                    "  m2 [label=\"Bank\\nnot installed\", style=dotted];",
                    "  m0 -> m2 [label=\"*\"];",
                    "}",
                ])
        #expect(try await lines("modules --dot") == lines("modules --tree --dot"))
    }

    @Test("Text and picture at once are refused")
    func both() async throws {
        #expect(
            try await shop.failure("modules --dot --svg")?.message
                == "Either '--dot' or '--svg' can be given, not both.")
    }
}
