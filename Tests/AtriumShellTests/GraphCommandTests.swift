@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import Testing

@testable import AtriumRuntime
@testable import AtriumShell
@testable import AtriumText

@Suite("Graphs of modules and of navigation")
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

    @Test("Every scene has its stack, the current screen last, and arrows to the screens that it shows")
    func navigation() async throws {
        let other = shop.host.beginScene("other")
        try await other.coordinator.open(Link("fair"))
        _ = try await shop.output("open items")
        _ = try await shop.output("open items/7")

        #expect(
            try await lines("nav graph") == ["test", "  └ items", "    └ items/7", "other", "  └ fair"])
        let dot = try await lines("nav graph --dot")
        #expect(dot.contains("    label=\"scene test\";"))
        #expect(dot.contains("    s0e1 [label=\"items/7\", penwidth=2];"))
        #expect(dot.contains("    s0e0 -> s0e1;"))
        let screens = shop.scene.knownLinks.map(\.pattern.description)
        let (detail, fair) = (screens.firstIndex(of: "items/:id"), screens.firstIndex(of: "fair"))
        #expect(dot.contains("  s0e1 -> p\(try #require(detail)) [style=dotted];"))
        #expect(dot.contains("  s1e0 -> p\(try #require(fair)) [style=dotted];"))
    }

    @Test("In JSON the stacks are rows")
    func json() async throws {
        _ = try await shop.output("open items")

        #expect(
            try await shop.json("nav graph")
                == #"{"rows":[{"scene":"test","stack":[{"link":"items","module":"Shop","screen":"items","presented":false}]}]}"#
        )
    }

    @Test("Text and picture at once are refused")
    func both() async throws {
        #expect(
            try await shop.failure("nav graph --dot --svg")?.message
                == "Either '--dot' or '--svg' can be given, not both.")
    }
}
