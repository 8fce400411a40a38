package struct TableLayout {
    struct Column {
        let label: String
        /// True if its values stay on one line as long as possible: numbers, ids, times.
        let keepsWidth: Bool
        let isNumeric: Bool
        let cells: [String]

        func widest(_ width: (String) -> Int) -> Int { cells.reduce(0) { max($0, width($1)) } }
    }

    private struct Words {
        let label: Int
        let cells: Int
        let cellWidth: Int
    }

    static let gap = 2
    /// The indentation of a cell's further lines, which are not rows.
    static let indent = 2
    static let readable = 10

    let widths: [Int]
    let wraps: Bool

    /// Lays a table out; nil if its columns would be too narrow to read.
    ///
    /// Text columns shrink, the widest first: down to whole words, then to ``readable``. Then times are
    /// broken at blanks; numbers never are.
    init?(_ columns: [Column], width: Int) {
        let natural = columns.map { max(TextWidth.of($0.label), $0.widest(TextWidth.of)) }
        let room = width - Self.gap * (columns.count - 1)
        if natural.reduce(0, +) <= room {
            widths = natural
            wraps = false
            return
        }
        let words = columns.map { column in
            Words(
                label: TextWrapper.widestWord(in: column.label, indent: Self.indent),
                cells: column.widest { TextWrapper.widestWord(in: $0, indent: Self.indent) },
                cellWidth: column.widest(TextWidth.of))
        }
        for step in Step.allCases {
            let least = columns.indices.map { step.least(columns[$0], natural[$0], words[$0]) }
            guard let widths = Self.share(room, least: least, most: natural) else { continue }
            self.widths = widths
            wraps = true
            return
        }
        return nil
    }

    private enum Step: CaseIterable {
        case wholeWords, brokenWords, brokenTimes

        func least(_ column: Column, _ natural: Int, _ words: Words) -> Int {
            let readable = min(natural, TableLayout.readable)
            if column.isNumeric || column.keepsWidth && self != .brokenTimes {
                let kept = max(words.cellWidth, min(words.label, TableLayout.readable))
                return min(natural, self == .wholeWords ? max(kept, words.label) : kept)
            }
            let whole = min(natural, max(readable, words.label, words.cells))
            return self == .wholeWords ? whole : min(readable, whole)
        }
    }

    /// Distributes `room`: equal widths within each column's bounds; nil if the minimum widths do not fit.
    private static func share(_ room: Int, least: [Int], most: [Int]) -> [Int]? {
        guard least.reduce(0, +) <= room else { return nil }
        func widths(at level: Int) -> [Int] {
            zip(least, most).map { least, most in max(least, min(level, most)) }
        }
        var level = 0
        var next = max(1, most.max() ?? 1)
        // The highest level that fits, by bisection.
        while next > 0 {
            while widths(at: level + next).reduce(0, +) <= room { level += next }
            next /= 2
        }
        var shared = widths(at: level)
        var left = room - shared.reduce(0, +)
        for index in shared.indices where left > 0 && shared[index] == level && shared[index] < most[index] {
            shared[index] += 1
            left -= 1
        }
        return shared
    }
}
