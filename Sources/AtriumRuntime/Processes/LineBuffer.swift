internal import Synchronization

/// Takes bytes apart into lines.
final class LineBuffer: Sendable {
    private static let longest = 64 * 1024
    private let state = Mutex(State())

    private struct State {
        var bytes: [UInt8] = []
        var lines: ArraySlice<String> = []
    }

    func add(_ chunk: [UInt8]) {
        state.withLock { state in
            state.bytes += chunk
            var start = 0
            while let end = state.bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
                state.lines.append(Self.text(state.bytes[start..<end]))
                start = end + 1
            }
            state.bytes.removeFirst(start)
            if state.bytes.count > Self.longest {
                state.lines.append(Self.text(state.bytes[...]))
                state.bytes = []
            }
        }
    }

    /// The next line that is complete.
    func next() -> String? {
        state.withLock { $0.lines.popFirst() }
    }

    /// What came after the last end of a line; nil where nothing did.
    func rest() -> String? {
        state.withLock { state in
            defer { state.bytes = [] }
            return state.bytes.isEmpty ? nil : Self.text(state.bytes[...])
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}
