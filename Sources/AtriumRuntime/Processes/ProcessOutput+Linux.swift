internal import Dispatch
internal import Glibc
internal import Synchronization

/// The output of a child, as it arrives; for one reader at a time.
///
/// Buffers at most a megabyte: a child that writes more waits for its reader. The stream ends when all
/// processes that have the pipe closed it, or when the child has ended and the pipe is empty. Cancelling the
/// reader closes the pipe.
package final class ProcessOutput: Sendable {
    private static let chunkSize = 64 * 1024
    private static let limit = 1024 * 1024

    private let descriptor: CInt
    private let queue: DispatchQueue
    // Sources may be used from any thread, which Dispatch on Linux does not declare.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let state = Mutex(State())

    private struct State {
        var chunks: [[UInt8]] = []
        var count = 0
        var reader: CheckedContinuation<[UInt8]?, Never>?
        /// Whether the source is suspended because the buffer is full.
        var isPaused = false
        var endsWhenEmpty = false
        var isOver = false
    }

    /// - Parameters:
    ///   - descriptor: A pipe that does not block; closed by this object.
    ///   - queue: Serial; nothing on it may block.
    init(_ descriptor: CInt, on queue: DispatchQueue) {
        self.descriptor = descriptor
        self.queue = queue
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable [weak self] in self?.read() }
        source.setCancelHandler { @Sendable [weak self] in
            close(descriptor)
            self?.finish()
        }
        source.activate()
    }

    deinit {
        cancel()
    }

    // MARK: - Reading

    /// The lines without their ends; a line longer than 64 KiB comes in parts.
    package var lines: AsyncStream<String> {
        let lines = LineBuffer()
        // A stream whose task is cancelled before it reads calls only `onCancel`.
        return AsyncStream(
            unfolding: {
                while true {
                    if let line = lines.next() { return line }
                    guard let chunk = await self.next() else { return lines.rest() }
                    lines.add(chunk)
                }
            }, onCancel: { self.cancel() })
    }

    /// The next bytes; nil at the end, and if the reader is cancelled.
    private func next() async -> [UInt8]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: [UInt8]?? = state.withLock { state in
                    if !state.chunks.isEmpty { return .some(takeChunk(&state)) }
                    if state.isOver { return .some(nil) }
                    precondition(state.reader == nil, "The output of a child has one reader at a time.")
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Whether reading is suspended because the buffer is full.
    var isPaused: Bool { state.withLock(\.isPaused) }

    private func takeChunk(_ state: inout State) -> [UInt8] {
        let chunk = state.chunks.removeFirst()
        state.count -= chunk.count
        if state.isPaused, state.count < Self.limit {
            state.isPaused = false
            source.resume()
            // If the pipe became empty and the child ended meanwhile, no event will come.
            queue.async { self.read() }
        }
        return chunk
    }

    // MARK: - Events

    /// Ends the stream once the pipe is empty: the child has ended, though a process that it started may still
    /// have the pipe open.
    func endWhenEmpty() {
        state.withLock { $0.endsWhenEmpty = true }
        queue.async { self.read() }
    }

    /// Call it on the queue: there the descriptor is open as long as the source is not cancelled.
    private func read() {
        guard !source.isCancelled, !isPaused else { return }
        switch readChunk() {
        case .bytes(let bytes):
            deliver(bytes)
            // The source reports more bytes by itself, but not that the pipe is empty.
            if state.withLock(\.endsWhenEmpty) { queue.async { self.read() } }
        case .empty:
            if state.withLock(\.endsWhenEmpty) { source.cancel() }
        case .end:
            source.cancel()
        }
    }

    private enum Piece {
        case bytes([UInt8])
        case empty
        case end
    }

    private func readChunk() -> Piece {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.chunkSize) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { return .bytes(Array(buffer[..<count])) }
                if count == 0 { return .end }
                if errno != EINTR { return errno == EAGAIN ? .empty : .end }
            }
        }
    }

    private func deliver(_ bytes: [UInt8]) {
        let reader = state.withLock { state -> CheckedContinuation<[UInt8]?, Never>? in
            defer { state.reader = nil }
            if let reader = state.reader { return reader }
            guard !state.isOver else { return nil }
            state.chunks.append(bytes)
            state.count += bytes.count
            if state.count >= Self.limit, !state.isPaused {
                state.isPaused = true
                source.suspend()
            }
            return nil
        }
        reader?.resume(returning: bytes)
    }

    /// Drops what was not read, and closes the pipe.
    private func cancel() {
        state.withLock { state in
            state.chunks = []
            state.isOver = true
            if state.isPaused { source.resume() }
            state.isPaused = false
        }
        source.cancel()
        finish()
    }

    private func finish() {
        let reader = state.withLock { state in
            state.isOver = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }
}

/// Splits bytes into lines.
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

    /// The next complete line.
    func next() -> String? {
        state.withLock { $0.lines.popFirst() }
    }

    /// What follows the last end of a line; nil if nothing does.
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
