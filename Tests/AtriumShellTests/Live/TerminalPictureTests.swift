import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumText

/// A terminal of a given size that understands the control sequences of pictures.
@MainActor
private final class Screen {
    private(set) var rows: [[Character]] = [[]]
    private(set) var written = ""
    let size: TerminalSize
    private var row = 0
    private var column = 0

    init(columns: Int, rows: Int) {
        size = TerminalSize(columns: columns, rows: rows)
    }

    /// The rows that it shows, with those that have scrolled off the top.
    var text: [String] {
        rows.map { row in
            var text = String(row)
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    func write(_ text: String) {
        written += text
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\n":
                row += 1
                column = 0
                if row == rows.count { rows.append([]) }
            case "\r": column = 0
            case "\u{1B}": control(&rest)
            default: put(character)
            }
        }
    }

    private func put(_ character: Character) {
        precondition(column < size.columns, "Text runs over the edge.")
        while rows[row].count <= column { rows[row].append(" ") }
        rows[row][column] = character
        column += 1
    }

    private func control(_ rest: inout Substring) {
        let end = rest.firstIndex { $0.isLetter } ?? rest.endIndex
        let parameters = rest[..<end].dropFirst()
        let letter = rest[end]
        rest = rest[end...].dropFirst()
        switch letter {
        case "A":
            let count = Int(parameters) ?? 1
            precondition(row - count >= rows.count - size.rows, "The cursor goes off the top.")
            row -= count
        case "K": rows[row] = Array(rows[row].prefix(column))
        case "J":
            rows[row] = Array(rows[row].prefix(column))
            rows.removeSubrange((row + 1)...)
        default: break
        }
    }
}

@Suite("Pictures on a terminal")
@MainActor
struct TerminalPictureTests {
    private let screen = Screen(columns: 20, rows: 6)
    private let picture: TerminalPicture

    init() {
        picture = TerminalPicture(write: screen.write)
        screen.write("before\n")
    }

    private func show(_ lines: String...) {
        picture.show(lines, in: screen.size)
    }

    @Test("Only lines that have changed are written")
    func changedOnly() {
        show("one", "two", "three")
        let count = screen.written.count

        show("one", "zwei", "three")

        #expect(screen.text == ["before", "one", "zwei", "three"])
        let change = screen.written.dropFirst(count)
        #expect(!change.contains("one") && !change.contains("three"))
    }

    @Test("A frame is one write, shown at once: the changed line alone, between the marks of a frame")
    func frames() {
        let output = Written()
        let picture = TerminalPicture(write: output.write)
        picture.show(["one", "two", "three"], in: screen.size)
        output.pieces = []

        picture.show(["one", "zwei", "three"], in: screen.size)

        // Up to the line, erased and written anew, and down to the last one again.
        #expect(output.pieces == ["\u{1B}[?2026h\u{1B}[1A\u{1B}[Kzwei\n\r\u{1B}[?2026l"])
    }

    @Test("An unchanged picture writes nothing")
    func same() {
        show("one", "two")
        let count = screen.written.count

        show("one", "two")

        #expect(screen.written.count == count)
    }

    @Test("Lines can be added and removed")
    func growsAndShrinks() {
        show("one")
        show("one", "two", "three")
        #expect(screen.text == ["before", "one", "two", "three"])
        show("new", "two")
        #expect(screen.text == ["before", "new", "two"])
        show()
        #expect(screen.text == ["before", ""])
        show("a", "b", "c", "d", "e", "f")

        #expect(screen.text == ["before", "a", "b", "c", "d", "e", "f"])
    }

    @Test("Any picture can replace any other")
    func anyOrder() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let lines = (0..<Int.random(in: 1...6, using: &generator)).map { _ in
                String(
                    repeating: "abc".randomElement(using: &generator) ?? "a",
                    count: [0, 1, 20].randomElement(using: &generator) ?? 0)
            }
            picture.show(lines, in: screen.size)
            #expect(Array(screen.text.suffix(lines.count)) == lines)
        }
        #expect(screen.text.first == "before")
    }

    @Test("A picture with too many lines shows the first ones and the number of the others")
    func tooTall() {
        picture.show((1...9).map { "line \($0)" }, in: screen.size)

        #expect(
            screen.text == [
                "before", "line 1", "line 2", "line 3", "line 4", "line 5", "… 4 more lines below",
            ])
        #expect(picture.lines.count == 6)
    }

    @Test("A line that is too long is truncated, even with colours")
    func tooWide() {
        show("\u{1B}[1m" + String(repeating: "x", count: 30) + "\u{1B}[0m", "ends")

        #expect(screen.text == ["before", String(repeating: "x", count: 19) + "…", "ends"])
    }

    @Test("Output continues below a picture that was left, and at the start of one that was erased")
    func ends() {
        show("one", "two")
        picture.leave()
        screen.write("after\n")
        show("three", "four")
        picture.erase(in: screen.size)
        screen.write("last")

        #expect(screen.text == ["before", "one", "two", "after", "last"])
    }

    @Test("A new size redraws everything, over the rows that the old lines take at the new width")
    func resized() {
        let narrow = Screen(columns: 10, rows: 6)
        // The picture is drawn for 20 columns and shown in 10.
        let picture = TerminalPicture(write: narrow.write)
        picture.show(["one"], in: TerminalSize(columns: 20, rows: 6))
        picture.erase(in: narrow.size)
        #expect(narrow.text == [""])

        let wide = Written()
        let other = TerminalPicture(write: wide.write)
        other.show([String(repeating: "x", count: 20), "two"], in: TerminalSize(columns: 20, rows: 6))
        wide.text = ""
        other.show(["x", "two"], in: TerminalSize(columns: 10, rows: 6))

        #expect(wide.text == "\u{1B}[?2026h\u{1B}[2A\r\u{1B}[Jx\ntwo\r\u{1B}[?2026l")
    }

    @MainActor
    private final class Written {
        var text = ""
        var pieces: [String] = []
        func write(_ more: String) {
            text += more
            pieces.append(more)
        }
    }
}
