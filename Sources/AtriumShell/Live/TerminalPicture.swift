/// Lines at the end of what a terminal shows that are replaced in place.
///
/// The cursor stands at the start of the last of them, where terminals agree on its row after they have wrapped
/// lines to a new width. Output of others goes above through ``writeAbove(_:in:)``.
@MainActor
final class TerminalPicture {
    /// The lines that stand there, top first; each fits into a row.
    private(set) var lines: [String] = []
    private let write: (String) -> Void
    /// The terminal's size when they were shown.
    private var shownSize: TerminalSize?

    /// Makes an empty picture.
    ///
    /// - Parameter write: Takes what goes to the terminal, escape sequences included.
    init(write: @escaping (String) -> Void) {
        self.write = write
    }

    private enum Sequence {
        // Always before the text: behind a full row these would take its last character.
        static let clearToEndOfLine = "\u{1B}[K"
        static let clearToEnd = "\u{1B}[J"

        static func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }
    }

    /// Shows lines in place of those that stand there; writes only those that have changed.
    ///
    /// - Parameters:
    ///   - lines: What is shown, cut to the terminal's rows and columns where it is longer.
    ///   - size: The terminal's present size; where it is another than before, all is written anew.
    func show(_ lines: [String], in size: TerminalSize) {
        let lines = Self.cut(lines.isEmpty ? [""] : lines, to: size)
        guard !self.lines.isEmpty, size == shownSize else {
            let erasing = erasing(in: size)
            self.lines = lines
            shownSize = size
            return write(erasing + lines.joined(separator: "\n") + "\r")
        }
        guard lines != self.lines else { return }
        write(change(to: lines))
        self.lines = lines
    }

    /// Takes the lines away; what is written next begins where they did.
    func erase(in size: TerminalSize) {
        guard !lines.isEmpty else { return }
        write(erasing(in: size))
        lines = []
    }

    /// Leaves the lines as they are; what is written next begins below them.
    func leave() {
        guard !lines.isEmpty else { return }
        write("\n")
        lines = []
    }

    /// Writes ended lines above the picture.
    func writeAbove(_ text: String, in size: TerminalSize) {
        let standing = lines
        erase(in: size)
        write(text)
        if !standing.isEmpty { show(standing, in: size) }
    }

    // MARK: - What is written

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

    /// Moves to where the lines begin and clears the screen from there.
    ///
    /// Terminals wrap what they show to a new width, so the rows are counted in that.
    private func erasing(in size: TerminalSize) -> String {
        guard !lines.isEmpty else { return "" }
        let rows = lines.dropLast().reduce(0) { rows, line in
            rows + max(1, (Self.width(of: line) + size.columns - 1) / max(1, size.columns))
        }
        return Sequence.up(min(rows, size.rows - 1)) + "\r" + Sequence.clearToEnd
    }

    // MARK: - What fits

    private static func cut(_ lines: [String], to size: TerminalSize) -> [String] {
        let fitting = lines.map { line in
            width(of: line) <= size.columns
                ? line : TextWidth.truncated(EncodedPrompt(line).visible, to: size.columns)
        }
        guard lines.count > size.rows, size.rows > 0 else { return fitting }
        let below = lines.count - size.rows + 1
        let note = below == 1 ? "… 1 more line below" : "… \(below) more lines below"
        return fitting.prefix(size.rows - 1) + [TextWidth.truncated(note, to: size.columns)]
    }

    private static func width(of line: String) -> Int {
        TextWidth.of(line.contains("\u{1B}") ? EncodedPrompt(line).visible : line)
    }
}
