import AtriumKit
import Testing

@testable import AtriumShell

/// Any content at any width: nothing leaves the width, and nothing is lost.
@Suite("Content of all kinds at every width")
struct TextPropertyTests {
    private func render(_ content: Content, width: Int, isColored: Bool = false) -> String {
        TextRenderer(width: width, style: TextStyle(isColored: isColored)).render(content)
    }

    /// The text without what sets colours and weights.
    private func withoutEscapes(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var isEscape = false
        for scalar in text.unicodeScalars {
            if scalar == "\u{1B}" { isEscape = true }
            if !isEscape { plain.append(scalar) }
            if scalar == "m" { isEscape = false }
        }
        return String(plain)
    }

    /// The scalars that are no blanks, control characters replaced.
    private func visible(_ text: String) -> [Unicode.Scalar] {
        text.printable.unicodeScalars.filter { $0 != " " && $0 != "\n" }
    }

    private func isFound(_ text: [Unicode.Scalar], in whole: [Unicode.Scalar]) -> Bool {
        var rest = whole[...]
        for scalar in text {
            guard let index = rest.firstIndex(of: scalar) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    @Test(
        "No line is wider than the width, every text is there in order, and colours change nothing else",
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
                try #require(isFound(visible(text), in: whole), "seed \(seed): \(text.debugDescription)")
            }
            try #require(withoutEscapes(colored) == plain, "seed \(seed)")
        }
    }

    @Test(
        "A table shows each label and each cell once, or as records each label once a row",
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

    @Test("Text gets no wider than the width, down to two columns", arguments: 2...19)
    func narrow(_ width: Int) throws {
        for seed in 0..<20 as Range<UInt64> {
            let text = render(RandomContent(seed: seed).content, width: width)

            for line in text.split(separator: "\n") {
                try #require(TextWidth.of(line) <= max(width, 4), "seed \(seed): \(line)")
            }
        }
    }
}
