import Glibc
import Testing

@testable import AtriumPrompt

@Suite("InputReader")
struct InputReaderTests {
    @Test("Endless input waits in the pipe until earlier lines have run, and none is lost")
    func bounded() async {
        let (input, output) = pipe()
        defer { close(input) }
        let reader = InputReader(descriptor: input)
        let line = Array("where\n".utf8)
        let all = 4_000_000 / line.count
        var written = 0
        // The pipe takes nothing more once the reader stops reading.
        while written < all, isWritable(output) {
            if write(output, line, line.count) == line.count { written += 1 }
        }
        close(output)
        #expect(written < all / 4)

        var count = 0
        for await piece in reader.pieces {
            count += piece.count
            reader.didRun()
        }

        #expect(count == written)
    }

    private func pipe() -> (input: CInt, output: CInt) {
        var ends: [CInt] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        #expect(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
        return (ends[0], ends[1])
    }

    /// Returns whether a descriptor is writable within half a second.
    private func isWritable(_ descriptor: CInt) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&waiting, 1, 500) == 1
    }
}
