internal import Dispatch
internal import Glibc

/// Text as it arrives: whole lines, so that a command is run once it is complete.
struct InputChunk: Sendable {
    let text: String
    let isLast: Bool

    /// The lines of the chunk, each to be read as commands of its own.
    var commandLines: [String] {
        isLast && text.utf8.isEmpty ? [] : text.split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// Reads standard input on a thread of its own, so that the main actor stays free.
enum StandardInput {
    private static let chunkSize = 64 * 1024

    /// The lines of standard input in the pieces in which they arrive, until its end.
    static func chunks() -> AsyncStream<InputChunk> {
        AsyncStream(bufferingPolicy: .unbounded) { stream in
            let queue = DispatchQueue(label: "atrium.standard-input")
            queue.async {
                var pending: [UInt8] = []
                while let bytes = read(chunkSize) {
                    pending += bytes
                    guard let end = pending.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                    let text = String(decoding: pending[...end], as: UTF8.self)
                    pending.removeSubrange(...end)
                    stream.yield(InputChunk(text: text, isLast: false))
                }
                stream.yield(InputChunk(text: String(decoding: pending, as: UTF8.self), isLast: true))
                stream.finish()
            }
        }
    }

    /// The next bytes; nil at the end.
    private static func read(_ count: Int) -> [UInt8]? {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                result = Glibc.read(0, buffer.baseAddress, count)
                filled = max(0, result)
            }
            if result > 0 { return bytes }
            if result == 0 || errno != EINTR { return nil }
        }
    }
}
