import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText

/// Renders random content at any width; no line exceeds the width, and no text is lost.
@Suite("Content of all kinds at every width")
struct TextPropertyTests {
    private func render(_ content: Content, width: Int, isColored: Bool = false) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: isColored)).render(content)
    }

    /// Returns the visible scalars of a text, with control characters replaced, and without no-break spaces, which are
    /// printed as blanks.
    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.printable.replacing("\u{A0}", with: " ").visibleScalars
    }

    @Test(
        "No line exceeds the width, each text is complete and in order, and colours change nothing else",
        arguments: 20...200)
    func contents(_ width: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(width * 10 + round)
            let random = RandomContent(seed: seed)

            let plain = render(random.content, width: width)
            let colored = render(random.content, width: width, isColored: true)

            for line in plain.split(separator: "\n") {
                try #require(TextWidth.of(line) <= width, "seed \(seed): \(line)")
            }
            let whole = visible(plain)
            for text in random.texts {
                try #require(visible(text).isFound(in: whole), "seed \(seed): \(text.debugDescription)")
            }
            try #require(colored.withoutEscapes == plain, "seed \(seed)")
        }
    }

    @Test(
        "A table shows each label and each cell once; records show each label once per row",
        arguments: 20...200)
    func tables(_ width: Int) throws {
        for round in 0..<3 {
            let seed = UInt64(width * 10 + round)
            let (content, labels, rows) = RandomContent.table(seed: seed)

            let text = render(content, width: width)

            let shown = visible(text).sorted()
            let table = (labels + rows.joined()).flatMap(visible).sorted()
            let values = rows.joined().map { $0.isEmpty ? "-" : $0 }
            let records = (values + rows.flatMap { _ in labels }).flatMap(visible).sorted()
            try #require(shown == table || shown == records, "seed \(seed)")
        }
    }

    @Test("At tiny widths no line is wider than the width or four columns", arguments: 2...19)
    func narrow(_ width: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            let text = render(RandomContent(seed: seed).content, width: width)

            for line in text.split(separator: "\n") {
                try #require(TextWidth.of(line) <= max(width, 4), "seed \(seed): \(line)")
            }
        }
    }
}
