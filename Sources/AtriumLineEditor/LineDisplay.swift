internal import AtriumText

/// Draws the prompt and the line being typed, where the cursor was when it began, and remembers what it drew.
///
/// Redraws the whole line, unless only text at its end or the cursor changed. Of a line with more rows
/// than the screen, those around the cursor are drawn.
struct LineDisplay {
    private var rows: [LineLayout.Row] = []
    /// The cursor among the rows drawn.
    private var cursor = LineLayout.Position()
    private var end = LineLayout.Position()
    /// The column of the end if not all rows are drawn.
    private static let unknown = -1
    /// The first row drawn, if there are more than the screen has.
    private var top = 0
    private var columns = 0

    var rowCount: Int { max(rows.count, 1) }

    private enum Control {
        static let clearToEnd = "\u{1B}[J"
        static let beginFrame = "\u{1B}[?2026h"
        static let endFrame = "\u{1B}[?2026l"

        static func move(from start: LineLayout.Position, to end: LineLayout.Position) -> String {
            guard start != end else { return "" }
            let rows = end.row - start.row
            let down = rows == 0 ? "" : "\u{1B}[\(abs(rows))\(rows > 0 ? "B" : "A")"
            return down + "\r" + (end.column > 0 ? "\u{1B}[\(end.column)C" : "")
        }
    }

    /// The text that shows the layout.
    mutating func draw(_ layout: LineLayout, in size: TerminalSize) -> String {
        // The signal of another width may come later.
        let erasing = columns == size.columns ? "" : erase(size)
        columns = size.columns
        return erasing + draw(layout, height: size.rows)
    }

    private mutating func draw(_ layout: LineLayout, height: Int) -> String {
        let former = (rows: rows, cursor: cursor, end: end, top: top)
        let visible = window(on: layout, height: height)
        rows = Array(layout.rows[visible])
        cursor = LineLayout.Position(row: layout.cursor.row - top, column: layout.cursor.column)
        let isCut = visible.upperBound < layout.rows.count
        end = LineLayout.Position(row: rows.count - 1, column: isCut ? Self.unknown : layout.end.column)
        if top == former.top, let added = Self.addition(to: former.rows, in: rows) {
            if added.isEmpty { return Control.move(from: former.cursor, to: cursor) }
            guard former.end.column != Self.unknown, !isCut else { return whole(from: former.cursor) }
            return Control.move(from: former.cursor, to: former.end) + added
                + Control.move(from: end, to: cursor)
        }
        return whole(from: former.cursor)
    }

    private func whole(from former: LineLayout.Position) -> String {
        var text = Control.beginFrame + Control.move(from: former, to: .init()) + Control.clearToEnd
        for (row, next) in zip(rows, rows.dropFirst()) {
            // A space wraps at the edge.
            text += row.text + (row.isWrapped ? next.text.isEmpty ? " \r" : "" : "\r\n")
        }
        text += rows[rows.count - 1].text + Control.move(from: end, to: cursor)
        return text + Control.endFrame
    }

    /// The text at the end of the last row, if nothing else differs.
    private static func addition(to old: [LineLayout.Row], in new: [LineLayout.Row]) -> String? {
        guard let last = old.last?.text, old.count == new.count, old.dropLast() == new.dropLast(),
            let text = new.last?.text, text.utf8.starts(with: last.utf8)
        else { return nil }
        return String(text.utf8.dropFirst(last.utf8.count))
    }

    private mutating func window(on layout: LineLayout, height: Int) -> Range<Int> {
        let last = max(layout.rows.count - height, 0)
        top = min(max(top, layout.cursor.row - height + 1), layout.cursor.row, last)
        return top..<min(top + height, layout.rows.count)
    }

    /// The text that removes what was drawn, and leaves the cursor where it began.
    ///
    /// The terminal has wrapped the rows again if the width of the window changed.
    mutating func erase(_ size: TerminalSize) -> String {
        guard !rows.isEmpty else { return "" }
        var (above, cells) = (0, 0)
        for row in rows[..<cursor.row] {
            cells += row.width
            guard !row.isWrapped else { continue }
            above += max(1, (cells + size.columns - 1) / size.columns)
            cells = 0
        }
        above += (cells + cursor.column) / size.columns
        forget()
        let start = LineLayout.Position(row: min(above, size.rows - 1), column: 1)
        return Control.move(from: start, to: .init()) + Control.clearToEnd
    }

    /// Nothing is drawn: the cursor is at the start of an empty row.
    mutating func forget() { self = LineDisplay() }

    /// The text that draws the part of the line around the cursor in one row, on a terminal without sequences.
    static func row(_ prompt: String, _ buffer: LineBuffer, columns: Int) -> String {
        let room = columns - 1
        let before = prompt + buffer.characters[..<buffer.cursor].suffix(columns)
        let left = fitting(before.reversed(), room)
        let right = fitting(buffer.characters[buffer.cursor...].prefix(columns), room - left.width)
        let text = left.glyphs.reversed().map(\.text).joined()
        let blanks = String(repeating: " ", count: room - left.width - right.width)
        return "\r" + text + right.glyphs.map(\.text).joined() + blanks + "\r" + text
    }

    private static func fitting(
        _ characters: some Sequence<Character>, _ room: Int
    ) -> (glyphs: [Glyph], width: Int) {
        var (glyphs, width): ([Glyph], Int) = ([], 0)
        for character in characters {
            // Backwards and forwards alike, so a control character is one glyph.
            let parts = character == "\t" ? [Glyph(text: " ")] : Glyph.glyphs(of: character)
            let glyph = Glyph(text: parts.map(\.text).joined(), width: parts.reduce(0) { $0 + $1.width })
            guard width + glyph.width <= room else { break }
            glyphs.append(glyph)
            width += glyph.width
        }
        return (glyphs, width)
    }
}
