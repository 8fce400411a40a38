import Testing

@testable import AtriumCommands
@testable import AtriumLanguage

@Suite("LineSplitter")
struct LineSplitterTests {
    private var splitter = LineSplitter()

    private typealias Line = LineSplitter.Line

    @Test("Lines end in LF or CR LF, and in nothing else")
    mutating func lines() {
        let text = "a\nb\r\n\nc\u{2028}d\u{0B}e"

        #expect(splitter.add(Array(text.utf8)) == [.text("a"), .text("b"), .text("")])
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

        #expect(lines == [.text("a"), .notText(2, "\u{FFFD}"), .text("b")])
    }

    @Test("A line over the bound is an error at once, whatever follows; the next line is read")
    mutating func tooLong() {
        let piece = Array(repeating: UInt8(ascii: "x"), count: 64 * 1024)
        var read: [Line] = []
        for _ in 0..<64 { read += splitter.add(piece) }
        #expect(read == [.tooLong(1)])

        #expect(splitter.add(Array("x\nwhere\n".utf8)) == [.text("where")])
        #expect(splitter.add(Array(repeating: 0x61, count: LineSplitter.limit) + [0x0A]).count == 1)
        let whole = splitter.add(Array(repeating: 0x61, count: LineSplitter.limit + 1) + Array("\nb\n".utf8))
        #expect(whole == [.tooLong(4), .text("b")])
        #expect(splitter.add(piece + piece) + splitter.add(Array("'".utf8)) == [])
        for _ in 0..<16 { _ = splitter.add(piece) }
        #expect(splitter.finish() == [.quotesWereSkipped(6)])
    }
}
