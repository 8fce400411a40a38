import AtriumKit
import TestSupport

/// Random content of all kinds, with every text that the rendered content must contain.
struct RandomContent {
    private(set) var content = Content()
    /// The texts of the visible blocks.
    private(set) var texts: [String] = []
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        content = blocks(count: 0...8, depth: 0)
    }

    /// Returns content with one table, its labels and its rows of cells.
    static func table(seed: UInt64) -> (content: Content, labels: [String], rows: [[String]]) {
        var random = RandomContent(seed: seed)
        let labels = (0..<Int.random(in: 1...12, using: &random.generator)).map { _ in random.text() }
        let rows = (0..<Int.random(in: 1...4, using: &random.generator)).map { _ in
            labels.map { _ in random.text() }
        }
        return (random.table(labels, rows).content, labels, rows)
    }

    private static let pieces = [
        "a", "lamp", "Entities", "2026-11-21", "9.5", "https://example.com/lamps?id=7&kind=desk",
        "/usr/lib/atrium/modules/Entities.so", "donaudampfschifffahrtsgesellschaftskapitän", "日本語", "、",
        "「本」",
        "한국어", "\u{1112}\u{1161}\u{11AB}", "cafe\u{301}", "\u{301}", "ก็", "क्षका", "😀", "👍🏽", "👩‍👩‍👧", "🇫🇷", "🇫",
        "1\u{FE0F}\u{20E3}", "❤\u{FE0F}", "\u{200D}", "\u{200B}", "\u{A0}", "\u{202E}", "\u{1B}[31m", "\t",
        "\n",
        "\r\n", "'", "\"A lamp'", "'A lamp'", " ", " ", " ", " ", "   ", String(repeating: "x", count: 230),
    ]

    private mutating func text() -> String {
        let count = [0, 1, 3, 8, 30].randomElement(using: &generator) ?? 1
        return (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
    }

    /// Returns a text that the rendered content must contain.
    private mutating func seen() -> String {
        let text = text()
        texts.append(text)
        return text
    }

    private mutating func blocks(count: ClosedRange<Int>, depth: Int) -> Content {
        var content = Content()
        for _ in 0..<Int.random(in: count, using: &generator) { content.append(block(depth: depth)) }
        return content
    }

    private mutating func block(depth: Int) -> Content {
        switch Int.random(in: 0...(depth < 4 ? 8 : 7), using: &generator) {
        case 0: return Title(seen()).content
        case 1: return Text(seen()).content
        case 2, 3: return Field("key", label: seen(), seen()).content
        case 4:
            let kind = [Notice.Kind.information, .success, .warning, .problem].randomElement(
                using: &generator)
            return Notice(kind ?? .problem, seen(), hint: Bool.random(using: &generator) ? seen() : nil)
                .content
        case 5: return Verbatim("key", [seen(), seen()]).content
        case 6:
            let completed = Bool.random(using: &generator) ? 3 : nil
            return Progress(label: seen(), completed: completed, of: 10, elapsed: .seconds(100)).content
        case 7:
            let labels = (0..<Int.random(in: 0...12, using: &generator)).map { _ in text() }
            let rows = (0..<Int.random(in: 1...3, using: &generator)).map { _ in labels.map { _ in text() } }
            texts += labels + rows.flatMap { $0 }
            return table(labels, rows).content
        default:
            let title = Bool.random(using: &generator) ? seen() : nil
            let inner = blocks(count: 0...3, depth: depth + 1)
            return Group("key", title: title) { inner }.content
        }
    }

    /// Returns a table with columns of text; every third column keeps its width, as an id does.
    private func table(_ labels: [String], _ rows: [[String]]) -> Table<[String]> {
        Table(rows) {
            for index in labels.indices {
                Column(index % 3 == 2 ? "id" : "key\(index)", label: labels[index]) { $0[index] }
            }
        }
    }
}
