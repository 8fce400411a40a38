import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Verbatim lines")
struct VerbatimTests {
    private let drawing = ["  │  ├─ A line that is longer than twenty columns  ", "", "end"]

    private func render(_ content: Content, width: Int = 20, cutsVerbatim: Bool = true) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: false), cutsVerbatim: cutsVerbatim)
            .render(content)
    }

    @Test("Verbatim lines keep their spaces, and are cut at the width of a terminal")
    func terminal() {
        let content = Content { Verbatim("drawing", drawing) }

        #expect(render(content, width: 60) == drawing.joined(separator: "\n") + "\n")
        #expect(
            render(content, width: 20)
                == "  │  ├─ A line that \nis longer than twent\ny columns  \n\nend\n")
    }

    @Test("Without a terminal verbatim lines are neither wrapped nor cut", arguments: [1, 20, 200])
    func width(_ width: Int) {
        let text = render(Content { Verbatim("drawing", drawing) }, width: width, cutsVerbatim: false)

        #expect(text == drawing.joined(separator: "\n") + "\n")
    }

    @Test("Verbatim lines are separated from the blocks above and below")
    func gaps() {
        let text = render(
            Content {
                Title("Graph")
                Verbatim("graph", ["A", "└─ B"])
                Field("nodes", 2)
            })

        #expect(text == "Graph\n\nA\n└─ B\n\nNodes  2\n")
    }

    @Test("A control character is replaced, and a line stays one line")
    func controls() {
        #expect(
            render(Content { Verbatim("text", ["a\u{1B}[2Jb\tc", "d\ne"]) })
                == "a\u{FFFD}[2Jb\u{FFFD}c\nd e\n")
    }

    @Test("A verbatim block without lines is in JSON only, and leaves no gap")
    func programsOnly() {
        let content = Content {
            Field("findings", 1)
            Verbatim("problems", [], value: [["code": "cycle"]])
            Notice(.problem, "A circle.")
        }

        #expect(render(content) == "Findings  1\n\nProblem: A circle.\n")
        #expect(
            JSONValue.object(content.json).serialized
                == #"{"findings":1,"problems":[{"code":"cycle"}],"#
                + #""notices":[{"kind":"problem","text":"A circle."}]}"#
        )
    }

    @Test("JSON has the value of a verbatim block, or its lines as one text")
    func json() {
        let content = Content {
            Verbatim("dot", ["digraph {", "}"])
            Verbatim("graph", ["A"], value: ["nodes": 1])
        }

        #expect(JSONValue.object(content.json).serialized == #"{"dot":"digraph {\n}","graph":{"nodes":1}}"#)
    }

    @Test("A table whose columns are all hidden is in JSON only, and leaves no gap")
    func hiddenTable() {
        let content = Content {
            Title("Lamp")
            Table([1, 2], key: "ids") { Column("id", isHidden: true) { $0 } }
            Field("count", 2)
        }

        #expect(render(content) == "Lamp\nCount  2\n")
        #expect(
            JSONValue.object(content.json).serialized
                == #"{"title":"Lamp","ids":[{"id":1},{"id":2}],"count":2}"#)
    }
}
