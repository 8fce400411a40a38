internal import Dispatch
internal import Glibc
internal import Synchronization

/// What a child writes, as it arrives; one reader at a time.
///
/// At most a megabyte waits here to be read: a child that writes more waits for its reader. The stream ends
/// when all who have the pipe closed it, and when the child has ended and the pipe is empty. Cancelling the
/// reader closes the pipe.
package final class ProcessOutput: Sendable {
    private static let chunkSize = 64 * 1024
    private static let most = 1024 * 1024

    private let descriptor: CInt
    private let queue: DispatchQueue
    // Dispatch sources may be used from any thread; Dispatch on Linux does not say so to the compiler.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let state = Mutex(State())

    private struct State {
        var chunks: [[UInt8]] = []
        var count = 0
        var reader: CheckedContinuation<[UInt8]?, Never>?
        /// Whether the source is suspended because too much waits.
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

    /// The bytes in the pieces in which they arrive.
    package var chunks: AsyncStream<[UInt8]> {
        // The stream asks a reader for nothing that was cancelled before it came to read.
        AsyncStream(unfolding: { await self.next() }, onCancel: { self.cancel() })
    }

    /// The lines without their ends; one that is longer than 64 KiB comes in parts.
    package var lines: AsyncStream<String> {
        let lines = LineBuffer()
        return AsyncStream(
            unfolding: {
                while true {
                    if let line = lines.next() { return line }
                    guard let chunk = await self.next() else { return lines.rest() }
                    lines.add(chunk)
                }
            }, onCancel: { self.cancel() })
    }

    /// The next bytes; nil at the end, and for a reader that is cancelled.
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

    /// Whether the child has to wait because so much waits here.
    var isPaused: Bool { state.withLock(\.isPaused) }

    private func takeChunk(_ state: inout State) -> [UInt8] {
        let chunk = state.chunks.removeFirst()
        state.count -= chunk.count
        if state.isPaused, state.count < Self.most {
            state.isPaused = false
            source.resume()
            // The pipe may have become empty and the child have ended meanwhile; no event tells that.
            queue.async { self.read() }
        }
        return chunk
    }

    // MARK: - Events

    /// The child has ended: what is in the pipe is all that is waited for, though another process that it
    /// started may still have it open.
    func endWhenEmpty() {
        state.withLock { $0.endsWhenEmpty = true }
        queue.async { self.read() }
    }

    /// On the queue, where the descriptor is open as long as the source is not cancelled.
    private func read() {
        guard !source.isCancelled, !isPaused else { return }
        switch readChunk() {
        case .bytes(let bytes):
            deliver(bytes)
            // The source tells of more by itself, except of the end that this is about.
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
            if state.count >= Self.most, !state.isPaused {
                state.isPaused = true
                source.suspend()
            }
            return nil
        }
        reader?.resume(returning: bytes)
    }

    /// Gives the rest up.
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
