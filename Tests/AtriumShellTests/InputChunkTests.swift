import Testing

@testable import AtriumShell

@Suite("Input arrives in lines")
struct InputChunkTests {
    @Test("Lines end as texts of all systems end them; empty ones are left out")
    func lines() {
        #expect(InputChunk(text: "a\nb\r\n\nc", isLast: true).commandLines == ["a", "b", "c"])
        #expect(InputChunk(text: "", isLast: true).commandLines.isEmpty)
        #expect(InputChunk(text: "\n", isLast: false).commandLines.isEmpty)
    }
}
