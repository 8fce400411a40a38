internal import Dispatch
internal import Glibc

/// Reads standard input on a thread of its own, so that the main actor stays free.
enum StandardInput {
    private static let chunkSize = 64 * 1024

    /// The lines of standard input in the pieces in which they arrive, until its end.
    static func lines() -> AsyncStream<[InputLine]> {
        AsyncStream(bufferingPolicy: .unbounded) { stream in
            DispatchQueue(label: "atrium.standard-input").async {
                var splitter = LineSplitter()
                do throws(InputError) {
                    while let bytes = try read(chunkSize) {
                        let lines = splitter.add(bytes)
                        if !lines.isEmpty { stream.yield(lines) }
                    }
                    stream.yield(splitter.finish())
                } catch {
                    stream.yield(splitter.finish() + [.unreadable(error)])
                }
                stream.finish()
            }
        }
    }

    /// The next bytes; nil at the end.
    private static func read(_ count: Int) throws(InputError) -> [UInt8]? {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                result = Glibc.read(0, buffer.baseAddress, count)
                filled = max(0, result)
            }
            if result > 0 { return bytes }
            if result == 0 { return nil }
            if errno == EAGAIN {
                // Whoever had the descriptor before left it non-blocking.
                var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
                poll(&input, 1, -1)
            } else if errno != EINTR {
                throw .unreadable(errno: errno)
            }
        }
    }
}
