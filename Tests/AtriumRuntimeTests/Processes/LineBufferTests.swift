import Testing

@testable import AtriumRuntime

@Suite("Splitting bytes into lines")
struct LineBufferTests {
    @Test("Lines are joined from chunks of any size", arguments: [1, 2, 3, 5, 100])
    func pieces(_ size: Int) {
        let bytes = Array("one\n\ntwö\r\nrest".utf8)
        let buffer = LineBuffer()

        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            buffer.add(Array(bytes[start..<min(start + size, bytes.count)]))
            while let line = buffer.next() { lines.append(line) }
        }

        #expect(lines == ["one", "", "twö"])
        #expect(buffer.rest() == "rest")
        #expect(buffer.rest() == nil)
    }

    @Test("A line without an end is returned in parts")
    func endless() {
        let buffer = LineBuffer()

        buffer.add([UInt8](repeating: 65, count: 70_000))

        #expect(buffer.next()?.utf8.count == 70_000)
        #expect(buffer.rest() == nil)
    }
}
