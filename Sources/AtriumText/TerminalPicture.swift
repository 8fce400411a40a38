/// Lines at the end of a terminal's screen that are replaced in place.
///
/// The cursor is at the start of the last one: terminals agree on its row after rewrapping to a new width.
@MainActor
package final class TerminalPicture {
    package private(set) var lines: [String] = []
    private let write: (String) -> Void
    private var shownSize: TerminalSize?

    package init(write: @escaping (String) -> Void) { self.write = write }

    private enum Sequence {
        // Before the text: after a full row these would erase its last character.
        static let clearToEndOfLine = "\u{1B}[K"
        static let clearToEnd = "\u{1B}[J"
        // Terminals that know these show the text between them at once; others ignore them.
        static let beginFrame = "\u{1B}[?2026h"
        static let endFrame = "\u{1B}[?2026l"

        static func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }
    }

    /// Shows lines, cut to the terminal's size; writes only the changes, or everything after a resize.
    package func show(_ lines: [String], in size: TerminalSize) {
        let lines = Self.cut(lines.isEmpty ? [""] : lines, to: size)
        guard !self.lines.isEmpty, size == shownSize else {
            // Input typed ahead may be echoed on the row.
            let erasing = self.lines.isEmpty ? "\r" + Sequence.clearToEndOfLine : erasing(in: size)
            self.lines = lines
            shownSize = size
            return write(frame: erasing + lines.joined(separator: "\n") + "\r")
        }
        guard lines != self.lines else { return }
        write(frame: change(to: lines))
        self.lines = lines
    }

    /// Writes changes as one frame, which the terminal shows only when complete.
    private func write(frame text: String) { write(Sequence.beginFrame + text + Sequence.endFrame) }

    package func erase(in size: TerminalSize) {
        guard !lines.isEmpty else { return }
        write(erasing(in: size))
        lines = []
    }

    /// Leaves the lines on the screen; output continues below them.
    package func leave() {
        guard !lines.isEmpty else { return }
        write("\n")
        lines = []
    }

    private func change(to new: [String]) -> String {
        let firstChange = zip(lines, new).enumerated().first { $1.0 != $1.1 }?.offset
        let start = min(firstChange ?? .max, lines.count - 1, new.count - 1)
        let last = new.count - 1
        var text = Sequence.up(lines.count - 1 - start)
        for index in start...last {
            if index > start { text += "\n" }
            if index == last, new.count < lines.count {
                text += Sequence.clearToEnd + new[index]
            } else if index >= lines.count || lines[index] != new[index] {
                text += Sequence.clearToEndOfLine + new[index]
            }
        }
        return text + "\r"
    }

    /// Clears the screen from the start of the lines; rows are counted at the terminal's current width.
    private func erasing(in size: TerminalSize) -> String {
        guard !lines.isEmpty else { return "" }
        let rows = lines.dropLast().reduce(0) { rows, line in
            rows + max(1, (Self.width(of: line) + size.columns - 1) / max(1, size.columns))
        }
        return Sequence.up(min(rows, size.rows - 1)) + "\r" + Sequence.clearToEnd
    }

    private static func cut(_ lines: [String], to size: TerminalSize) -> [String] {
        let fitting = lines.map { line in
            width(of: line) <= size.columns
                ? line : TextWidth.truncated(plain(line), to: size.columns)
        }
        guard lines.count > size.rows, size.rows > 0 else { return fitting }
        let below = lines.count - size.rows + 1
        let note = below == 1 ? "… 1 more line below" : "… \(below) more lines below"
        return fitting.prefix(size.rows - 1) + [TextWidth.truncated(note, to: size.columns)]
    }

    private static func width(of line: String) -> Int { TextWidth.of(plain(line)) }

    private static func plain(_ line: String) -> String {
        line.utf8.contains(0x1B) ? StyledLine(line).plain : line
    }
}
