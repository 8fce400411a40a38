import Testing

@testable import AtriumShell

@Suite("LineSplitter")
struct LineSplitterTests {
    private var splitter = LineSplitter()

    /// The lines, and the message for one that can't be read.
    private func texts(_ lines: [InputLine]) -> [String] {
        lines.map { line in
            switch line {
            case .success(let text): text
            case .failure(let error): error.message
            }
        }
    }

    @Test("Lines end in LF or CR LF, and in nothing else; empty ones are left out")
    mutating func lines() {
        let text = "a\nb\r\n\nc\u{2028}d\u{0B}e"

        #expect(texts(splitter.add(Array(text.utf8))) == ["a", "b"])
        #expect(texts(splitter.finish()) == ["c\u{2028}d\u{0B}e"])
        #expect(texts(splitter.finish()) == [])
    }

    @Test("A line, and a character in it, can arrive in pieces")
    mutating func pieces() {
        let bytes = Array("é\nx".utf8)

        #expect(texts(splitter.add(bytes[..<1])) == [])
        #expect(texts(splitter.add(bytes[1...])) == ["é"])
        #expect(texts(splitter.finish()) == ["x"])
    }

    @Test("A byte order mark at the start is not part of the first line")
    mutating func byteOrderMark() {
        #expect(texts(splitter.add([0xEF, 0xBB, 0xBF, 0x61, 0x0A])) == ["a"])
    }

    @Test("A line that is not UTF-8 is an error with its number; the other lines are read")
    mutating func notUTF8() {
        let lines = splitter.add([0x61, 0x0A, 0xFF, 0x0A, 0x62, 0x0A])

        #expect(
            texts(lines) == ["a", "Line 2 of the commands is not text in UTF-8; it was not run.", "b"])
    }

    @Test("A line over the bound is an error at once, whatever follows; the next line is read")
    mutating func tooLong() {
        let piece = Array(repeating: UInt8(ascii: "x"), count: 64 * 1024)
        var read: [InputLine] = []
        for _ in 0..<64 { read += splitter.add(piece) }
        #expect(texts(read) == ["Line 1 of the commands is longer than 1048576 bytes; it was not run."])

        #expect(texts(splitter.add(Array("x\nwhere\n".utf8))) == ["where"])
        #expect(texts(splitter.add(Array(repeating: 0x61, count: LineSplitter.limit) + [0x0A])).count == 1)
        let whole = splitter.add(Array(repeating: 0x61, count: LineSplitter.limit + 1) + Array("\nb\n".utf8))
        #expect(
            texts(whole) == ["Line 4 of the commands is longer than 1048576 bytes; it was not run.", "b"])
        #expect(texts(splitter.finish()).isEmpty)
    }
}
