@_spi(Host) import AtriumKit
import AtriumText
import BenchSupport
import Glibc

/// Times the layout of tables as text.
///
/// Reads lines of words, separated by tabs: `render KIND ROWS TIMES` lays out a table for 80 columns; KIND is
/// `fits`, `wrapped`, `cjk` (wrapped, in wide characters), or `padded` to only pad the cells of `fits` to
/// known widths.
///
/// The result is wall-clock and processor time in nanoseconds.
struct Row {
    let number: Int
    let name: String
    let category: String
}

func rows(_ kind: String, _ count: Int) -> [Row] {
    (1...count).map { number in
        switch kind {
        case "wrapped":
            Row(
                number: number,
                name: "A lamp for the desk by the window in the room with the books, \(number)",
                category: "everything that gives light or holds what gives light")
        case "cjk":
            Row(
                number: number, name: "窓際の机の上に置いてある読書用の青いランプと本棚の番号\(number)",
                category: "光を出すもの、または光を出すものを支えるもの")
        default: Row(number: number, name: "Blue lamp \(number)", category: "lighting")
        }
    }
}

func content(_ rows: [Row]) -> Content {
    Content {
        Table(rows) {
            Column("id") { $0.number }
            Column("name") { $0.name }
            Column("category") { $0.category }
        }
    }
}

func padded(_ rows: [Row]) -> String {
    var text = ""
    for row in rows {
        let number = String(row.number)
        text += String(repeating: " ", count: 6 - number.count) + number + "  " + row.name
        text += String(repeating: " ", count: 20 - row.name.count) + row.category + "\n"
    }
    return text
}

func timed(_ body: () -> Void) -> String {
    let start = Stopwatch()
    body()
    return start.elapsed
}

while let line = readLine() {
    let words = line.split(separator: "\t").map(String.init)
    let (kind, count, times) = (words[1], Int(words[2])!, Int(words[3])!)
    let rows = rows(kind, count)
    let content = content(rows)
    let renderer = TextRenderer(width: 80)
    var length = 0
    print(
        timed {
            for _ in 0..<times {
                length += (kind == "padded" ? padded(rows) : renderer.render(content)).utf8.count
            }
        })
    fflush(nil)
    precondition(length > count)
}
