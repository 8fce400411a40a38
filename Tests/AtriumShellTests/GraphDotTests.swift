import Testing

@testable import AtriumCommands
@_spi(Host) @testable import AtriumKit
@testable import AtriumViews

@Suite("Dependency graphs for Graphviz")
struct GraphDotTests {
    private let head = ["digraph Atrium {", "  rankdir=TB;", "  node [shape=box, fontname=\"sans-serif\"];"]

    @Test("Each module is a cluster; nodes that are not registered are outside, dotted")
    func clusters() {
        let graph = DependencyGraph(
            [
                .named("menu", .screen, of: "Kitchen"), .named("Menu", .aggregateModel, of: "Kitchen"),
                .named("Saw", .service, of: "Tools"), .named("Stove", .service, of: nil),
            ],
            [(0, 1, .direct), (1, 2, .deferred), (1, 3, .direct)])

        #expect(
            GraphDrawing.dot(graph) == head + [
                "  subgraph cluster_0 {",
                "    label=\"Kitchen\";",
                "    n0 [label=\"menu\\nscreen\", style=rounded];",
                "    n1 [label=\"Menu\\naggregate model\"];",
                "  }",
                "  subgraph cluster_1 {",
                "    label=\"Tools\";",
                "    n2 [label=\"Saw\\nservice\"];",
                "  }",
                "  n3 [label=\"Stove\\nservice\", style=dotted];",
                "  n0 -> n1;",
                "  n1 -> n2 [style=dashed];",
                "  n1 -> n3;",
                "}",
            ])
    }

    @Test("Only the given roots and their dependencies are drawn, and no cluster is empty")
    func roots() {
        let graph = DependencyGraph(
            [.named("A", of: "One"), .named("B", of: "Two"), .named("C", of: "Two")],
            [(0, 1, .direct), (1, 2, .direct)])

        #expect(
            GraphDrawing.dot(graph, roots: [2]) == head + [
                "  subgraph cluster_0 {", "    label=\"Two\";", "    n0 [label=\"C\\nrepository\"];", "  }",
                "}",
            ])
    }

    @Test("A dependency cycle is drawn as a cycle of arrows")
    func circle() {
        let lines = GraphDrawing.dot(DependencyGraph(["A", "B"], [(0, 1), (1, 0)]))

        #expect(lines.suffix(3) == ["  n0 -> n1;", "  n1 -> n0;", "}"])
    }

    @Test("An empty graph has a header and an end")
    func empty() {
        #expect(GraphDrawing.dot(DependencyGraph([String](), [])) == head + ["}"])
    }

    @Test(
        "Names are escaped: nothing in them ends the text or begins an escape",
        arguments: [
            (#"Price 'a "quoted" one'"#, #"Price 'a \"quoted\" one'"#),
            (#"Price 'C:\new'"#, #"Price 'C:\\new'"#),
            (#"Price 'ends in \"#, #"Price 'ends in \\"#),
            (#"\""#, #"\\\""#),
            ("Price 'two\nlines'", #"Price 'two\nlines'"#),
            ("R&amp;D &lt; &", "R&amp;amp;D &amp;lt; &amp;"),
            ("\u{1B}[31m\0", "\u{FFFD}[31m\u{FFFD}"),
            ("Preis 'für 10 €; } -> n0'", "Preis 'für 10 €; } -> n0'"),
            ("", ""),
        ])
    func quoting(_ name: String, _ quoted: String) {
        let lines = GraphDrawing.dot(DependencyGraph([.named(name, of: name)]))

        #expect(
            lines == head + [
                "  subgraph cluster_0 {", "    label=\"\(quoted)\";",
                "    n0 [label=\"\(quoted)\\nrepository\"];", "  }", "}",
            ])
    }

    @Test("In JSON the graph is one text")
    func json() {
        let lines = GraphDrawing(DependencyGraph(["A"], [])).dot

        #expect(
            Content { Verbatim("dot", lines) }.json["dot"] == .string(lines.joined(separator: "\n")))
    }
}
