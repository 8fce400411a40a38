import Foundation
import TestSupport
import Testing

@testable import AtriumLineEditor
@testable import AtriumText

@Suite("LineBuffer")
struct LineBufferTests {
    /// A buffer of the text, with the cursor at `|`.
    private func buffer(_ text: String) -> LineBuffer {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        var buffer = LineBuffer(String(parts[0] + parts[1]))
        while buffer.beforeCursor.unicodeScalars.count > parts[0].unicodeScalars.count {
            _ = buffer.perform(.left) || buffer.moveToRow(isUp: true)
        }
        return buffer
    }

    private func marked(_ buffer: LineBuffer) -> String {
        buffer.beforeCursor + "|" + String(buffer.characters[buffer.cursor...])
    }

    @Test(
        "An edit acts on visible characters, words and rows",
        arguments: [
            ("x👨‍👩‍👧|y", .deleteLeft, "x|y"), ("xe\u{301}|y", .deleteLeft, "x|y"),
            ("xℹ️|y", .left, "x|ℹ️y"), ("🇩🇪|🇫🇷", .right, "🇩🇪🇫🇷|"), ("x|क्षy", .deleteRight, "x|y"),
            ("a한|b", .transpose, "ab한|"), ("ab👍🏽|", .transpose, "a👍🏽b|"), ("a|", .transpose, nil),
            ("|ab", .transpose, nil), ("|a", .left, nil), ("a|", .deleteRight, nil), ("|a", .deleteLeft, nil),
            ("open entities/1 --all|", .killWordLeft, "open entities/1 |"),
            ("open entities/|  ", .killWordLeft, "open |  "), ("|  open x", .killWordRight, "| x"),
            ("open |größe x", .uppercase, "open GRÖSSE| x"), ("a |ÉCOLE", .lowercase, "a école|"),
            ("|  éCOLE x", .capitalize, "  École| x"), ("|  ", .wordRight, "  |"),
            ("a  b|", .wordLeft, "a  |b"),
            ("one\ntw|o\nthree", .start, "one\n|two\nthree"),
            ("one\nt|wo\nthree", .end, "one\ntwo|\nthree"),
            ("one\nt|wo\nthree", .killToEnd, "one\nt|\nthree"), ("one|\ntwo", .killToEnd, "one|two"),
            ("one\ntw|o", .killToStart, "one\n|o"), ("one\n|two", .killToStart, "one|two"),
            ("|x", .killToStart, nil), ("x|", .killToEnd, nil), ("x|", .yank, nil),
        ] as [(String, LineBuffer.Edit, String?)])
    func edits(_ text: String, _ edit: LineBuffer.Edit, _ result: String?) {
        var buffer = buffer(text)
        #expect(marked(buffer) == text)

        let acts = buffer.perform(edit)

        #expect(acts == (result != nil))
        #expect(marked(buffer) == result ?? text)
    }

    @Test("Kills in a row are inserted together; after another edit the next kill replaces them")
    func kills() {
        var buffer = buffer("one two |three four")

        for edit in [.killWordLeft, .killToEnd, .yank] as [LineBuffer.Edit] { _ = buffer.perform(edit) }
        #expect(marked(buffer) == "one two three four|")
        for edit in [.killWordLeft, .left, .killToStart, .yank, .yank] as [LineBuffer.Edit] {
            _ = buffer.perform(edit)
        }

        #expect(marked(buffer) == "one two threeone two three| ")
    }

    @Test("Up and Down keep the number of characters from the start of the row, as far as it goes")
    func rows() {
        var buffer = buffer("👨‍👩‍👧bc\nd\nefg|")

        var texts: [String] = []
        for isUp in [false, true, true, true, false] {
            if buffer.moveToRow(isUp: isUp) { texts.append(marked(buffer)) }
        }

        #expect(texts == ["👨‍👩‍👧bc\nd|\nefg", "👨‍👩‍👧|bc\nd\nefg", "👨‍👩‍👧bc\nd|\nefg"])
    }

    @Test("Each sequence of Unicode's emoji test file is one character, typed as code points")
    func emoji() throws {
        let file = "/usr/share/unicode/emoji/emoji-test.txt"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let sequences = lines.compactMap { line -> String? in
            guard let end = line.firstIndex(of: ";"), line.first != "#" else { return nil }
            let codes = line[..<end].split(separator: " ").compactMap { UInt32($0, radix: 16) }
            return String(String.UnicodeScalarView(codes.compactMap(Unicode.Scalar.init)))
        }
        try #require(sequences.count > 4000)
        // A skin tone by itself joins the character before it.
        for sequence in sequences where !("\u{1F3FB}"..."\u{1F3FF}").contains(sequence) {
            var buffer = LineBuffer("xy")
            _ = buffer.perform(.left)

            for scalar in sequence.unicodeScalars { buffer.insert(String(scalar)) }

            try #require(marked(buffer) == "x\(sequence)|y", "\(sequence.unicodeScalars)")
            _ = buffer.perform(.deleteLeft)
            try #require(marked(buffer) == "x|y", "\(sequence.unicodeScalars)")
        }
    }

    @Test("After random changes the characters are those of the whole text")
    func clusters() throws {
        let text =
            "ab\u{301}\u{200D}\u{FE0F}👨👩🇩🇪🇫क\u{94D}षि한ᄀ\u{1161}\u{11A8}ب\u{650}\u{600}1\u{20E3}你"
        let all = Array(text.unicodeScalars)
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var buffer = LineBuffer()
            let scalars = seed % 3 == 0 ? Array("🇩🇪🇫".unicodeScalars) : all
            for _ in 0..<60 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0: _ = buffer.perform(.left)
                case 1: _ = buffer.perform(.right)
                case 2: _ = buffer.perform(.start)
                case 3: _ = buffer.perform(.deleteLeft)
                case 4: _ = buffer.perform(.transpose)
                default: buffer.insert(String(scalars.randomElement(using: &random)!))
                }
                let text = buffer.text
                try #require(buffer.characters == Array(text), "seed \(seed): \(text.unicodeScalars)")
                try #require(buffer.utf8Count == text.utf8.count, "seed \(seed)")
                try #require((0...buffer.characters.count).contains(buffer.cursor), "seed \(seed)")
            }
        }
    }
}

@Suite("LineLayout")
struct LineLayoutTests {
    private func layout(_ text: String, columns: Int = 10) -> LineLayout {
        let characters = Array(text)
        return LineLayout(
            prompt: "", characters[...], cursor: characters.count, continuation: "… ", columns: columns)
    }

    private func end(_ text: String, columns: Int = 10) -> LineLayout.Position {
        layout(text, columns: columns).end
    }

    @Test("Text wraps at the last column, and the terminal joins its rows")
    func wraps() {
        #expect(end("123456789") == .init(row: 0, column: 9))
        #expect(end("1234567890") == .init(row: 1, column: 0))
        #expect(end("12345678901") == .init(row: 1, column: 1))
        #expect(layout("12345678901").rows.map(\.isWrapped) == [true, false])
        #expect(layout("1\n2").rows.map(\.isWrapped) == [false, false])
    }

    @Test("A wide character is never split between rows")
    func wide() {
        #expect(end("12345678你") == .init(row: 1, column: 0))
        #expect(end("123456789你") == .init(row: 1, column: 2))
        #expect(end("👨‍👩‍👧👨‍👩‍👧") == .init(row: 0, column: 4))
    }

    @Test("A tab goes to the next tab stop; a control character takes two columns, one without a cell one")
    func special() {
        #expect(end("a\tb", columns: 40) == .init(row: 0, column: 9))
        #expect(end("\u{1}x", columns: 40) == .init(row: 0, column: 3))
        #expect(end("\u{200B}\u{85}\u{202E}", columns: 40) == .init(row: 0, column: 3))
        #expect(layout("\u{7F}").rows[0].text == "^?")
    }

    @Test("After a character of which terminals differ, the column is set and the row erased")
    func doubtful() {
        #expect(layout("aé你").rows[0].text == "aé你")
        #expect(layout("a🇩🇪b", columns: 40).rows[0].text == "a🇩🇪\u{1B}[4G\u{1B}[Kb")
        #expect(layout("12345678🇩🇪b").rows.map(\.text) == ["12345678\u{1B}[?7l🇩🇪\u{1B}[?7h", "b"])
        #expect(layout("12345678🇩🇪b").rows.map(\.isWrapped) == [false, false])
        // Without wrapping it would be drawn over the end of a row that the terminal is about to wrap.
        #expect(layout("1234567890🇩🇪").rows.map(\.isWrapped) == [false, false])
    }
}

@Suite("LineDisplay")
struct LineDisplayTests {
    private var display = LineDisplay()

    private mutating func draw(_ text: String, cursor: Int? = nil, columns: Int, rows: Int = 24) -> String {
        let characters = Array(text)
        let layout = LineLayout(
            prompt: "> ", characters[...], cursor: cursor ?? characters.count, continuation: "… ",
            columns: columns)
        return display.draw(layout, in: TerminalSize(columns: columns, rows: rows))
    }

    private let frame = (begin: "\u{1B}[?2026h", end: "\u{1B}[?2026l")

    @Test("Text at the end and a movement are written as they are, all else as the whole line")
    mutating func changes() {
        let first = draw("ab", columns: 20)
        let more = draw("abc", columns: 20)
        let move = draw("abc", cursor: 1, columns: 20)
        let inserted = draw("aXbc", cursor: 2, columns: 20)

        #expect(first == "\(frame.begin)\u{1B}[J> ab\(frame.end)")
        #expect(more == "c")
        #expect(move == "\r\u{1B}[3C")
        #expect(inserted == "\(frame.begin)\r\u{1B}[J> aXbc\r\u{1B}[4C\(frame.end)")
    }

    @Test("In a window of another width, the rows that the terminal made of the line are erased")
    mutating func resized() {
        let text = String(repeating: "x", count: 25) + "\n12345678"
        var moves: [String] = []
        for columns in [20, 5, 13] {
            display.forget()
            _ = draw(text, columns: 10)

            moves.append(display.erase(TerminalSize(columns: columns, rows: 24)))
        }

        // 27 cells in rows that the terminal joins, then ten cells and the cursor after them.
        #expect(moves == [2, 8, 3].map { "\u{1B}[\($0)A\r\u{1B}[J" })
    }

    @Test("Of more rows than the screen has, those with the cursor are drawn")
    mutating func window() {
        let text = (1...9).map { "row \($0)" }.joined(separator: "\n")

        let end = draw(text, columns: 20, rows: 3)
        let start = draw(text, cursor: 0, columns: 20, rows: 3)

        #expect(end.contains("row 7\r\n") && end.contains("row 9") && !end.contains("row 6"))
        #expect(start.contains("> row 1\r\n") && start.contains("row 3") && !start.contains("row 4"))
    }
}
