import Testing

@testable import AtriumShell

@Suite("LineSplitter")
struct LineSplitterTests {
    private var splitter = LineSplitter()

    @Test("Lines end with LF or CR LF, and nothing else; empty ones are omitted")
    mutating func lines() {
        let text = "a\nb\r\n\nc\u{2028}d\u{0B}e"

        #expect(splitter.add(Array(text.utf8)) == [.text("a"), .text("b")])
        #expect(splitter.finish() == [.text("c\u{2028}d\u{0B}e")])
        #expect(splitter.finish() == [])
    }

    @Test("A line, and a character in it, can arrive in pieces")
    mutating func pieces() {
        let bytes = Array("é\nx".utf8)

        #expect(splitter.add(bytes[..<1]) == [])
        #expect(splitter.add(bytes[1...]) == [.text("é")])
        #expect(splitter.finish() == [.text("x")])
    }

    @Test("A byte order mark at the start is not part of the first line")
    mutating func byteOrderMark() {
        #expect(splitter.add([0xEF, 0xBB, 0xBF, 0x61, 0x0A]) == [.text("a")])
    }

    @Test("A line that is not UTF-8 is an error with its number; the other lines are read")
    mutating func notUTF8() {
        let lines = splitter.add([0x61, 0x0A, 0xFF, 0x0A, 0x62, 0x0A])

        #expect(lines == [.text("a"), .unreadable(.notUTF8(line: 2)), .text("b")])
        #expect(
            InputError.notUTF8(line: 2).message
                == "Line 2 of the commands is not text in UTF-8; it was not run.")
    }
}
