@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Safety of rendered text")
struct TextRendererSafetyTests {
    private let evil = "\u{1B}[2J\r\u{8}a\u{7}b\t\u{9B}c\u{7F}\u{80}\u{9F}\u{202E}d\u{2066}\u{200F}\u{61C}"

    private func render(_ content: Content, width: Int) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: false)).render(content)
    }

    /// Returns content of all kinds, with texts up to a length.
    private func content(_ generator: inout SeededGenerator, _ length: Int) -> Content {
        let text = { (generator: inout SeededGenerator) in generator.word(length: 0...length) }
        let rows = (0..<3).map { _ in (0..<4).map { _ in text(&generator) } }
        let texts = (0..<6).map { _ in text(&generator) }
        return Content {
            Title(texts[0])
            Text(texts[1])
            Field("id", texts[2])
            Field("aRatherLongLabel", label: texts[3], 7)
            Notice(.problem, texts[4], hint: texts[5])
            Table(rows) {
                Column("first", label: texts[0]) { $0[0] }
                Column("second") { $0[1] }
                Column("third") { $0[2].utf8.count }
                Column("fourth") { $0[3] }
            }
        }
    }

    @Test("Groups that are nested too deeply for rendering are cut, with a notice")
    func depth() {
        var deep = Content { Text("the innermost") }
        for number in 1...2_000 { deep = Content([.group(key: "g\(number)", deep)]) }
        let flat = Content { Group("a") { Group("b") { Text("shown") } } }

        let text = render(deep.bounded, width: 80)

        #expect(text.contains("Groups that are nested deeper are not shown."))
        #expect(!text.contains("the innermost"))
        #expect(render(flat.bounded, width: 80) == render(flat, width: 80))
    }

    @Test("No line is wider than the width", arguments: [20, 21, 25, 33, 40, 64, 80, 120, 200])
    func width(_ width: Int) throws {
        var generator = SeededGenerator(seed: UInt64(width))
        for _ in 0..<60 {
            let text = render(
                content(&generator, [4, 30, 300].randomElement(using: &generator) ?? 4), width: width)

            for line in text.split(separator: "\n") {
                try #require(TextWidth.of(String(line)) <= width, "\(line)")
            }
        }
    }

    @Test("Control characters are replaced in every kind of block")
    func controls() {
        let content = Content {
            Title(evil)
            Text(evil)
            Field("key", label: evil, evil)
            Notice(.warning, evil, hint: evil)
            Group("group") { Text(evil) }
            Table([evil], key: "table") { Column("name", label: evil) { $0 } }
        }

        let text = render(content, width: 80)

        let controls = text.unicodeScalars.filter {
            ($0.properties.generalCategory == .control || $0.properties.isBidiControl) && $0 != "\n"
        }
        #expect(controls.isEmpty)
        #expect(
            text.hasPrefix(
                "\u{FFFD}[2J\u{FFFD}\u{FFFD}a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}d"))
    }

    @Test("A line end in a cell or a label does not break the line")
    func lineEnds() {
        let content = Content {
            Field("key", label: "a\nb", "value")
            Table(["x\ny", "z"], key: "table") { Column("name", label: "c\nd") { $0 } }
        }

        #expect(render(content, width: 80) == "a b  value\n\nc d\nx y\nz\n")
    }
}
