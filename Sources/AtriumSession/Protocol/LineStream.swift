internal import AtriumLibraries
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A connected socket that carries lines in both directions.
///
/// A separate thread reads and parses, and pauses while too many messages wait to be handled, so that the
/// peer can neither fill the memory nor delay others. Output that the peer does not accept at once is kept,
/// and sent from another thread. The socket is closed with the last reference to the stream.
package final class LineStream<Message: Sendable>: Sendable {
    /// The most bytes of a line.
    package static var lineLimit: Int { 1 << 20 }
    /// The most messages that may wait.
    static var waitingLimit: Int { 64 }
    /// The number of unread bytes above which the peer counts as lagging.
    static var backlogLimit: Int { 1 << 20 }

    package enum End: Sendable {
        /// The peer closed it, or has exited.
        case closed
        case lineTooLong
    }

    fileprivate struct State {
        /// Output that the peer has not accepted yet.
        var unsent = Backlog()
        var isWriting = false
        var lastProgress = ContinuousClock.now
        var isClosed = false
        var closesWhenSent = false
        /// Called once the peer is no longer lagging.
        var waiting: [@Sendable () -> Void] = []

        var isBehind: Bool { !isClosed && unsent.count >= LineStream.backlogLimit }

        mutating func takeWaiting() -> [@Sendable () -> Void] {
            guard !isBehind else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    package let descriptor: CInt
    private let state = Mutex(State())
    private let room: DispatchSemaphore
    private let writer = DispatchQueue(label: "atrium.connection.output")

    /// Takes over a connected socket.
    package init(_ descriptor: CInt) {
        self.descriptor = descriptor
        // Signalled afterwards: a semaphore must not be freed with less than its initial value.
        room = DispatchSemaphore(value: 0)
        for _ in 0..<Self.waitingLimit { room.signal() }
    }

    deinit { Glibc.close(descriptor) }

    // MARK: - Reading

    /// Reads until the stream ends; `parse` runs on the reading thread.
    ///
    /// Call ``didHandle()`` after each message that `receive` gets.
    ///
    /// - Returns: False if the system has no thread for it; then nothing is read.
    package func read(
        parse: @escaping @Sendable ([UInt8]) -> Message,
        receive: @escaping @MainActor @Sendable (Message) -> Void,
        didEnd: @escaping @MainActor @Sendable (End) -> Void
    ) -> Bool {
        SystemThread.start { [self] in
            let reason = read { line in
                room.wait()
                // Stop reading from a peer that does not read replies.
                let isDrained = DispatchSemaphore(value: 0)
                whenDrained { isDrained.signal() }
                isDrained.wait()
                let message = parse(line)
                DispatchQueue.main.async { MainActor.assumeIsolated { receive(message) } }
            }
            DispatchQueue.main.async { MainActor.assumeIsolated { didEnd(reason) } }
        }
    }

    private func read(_ deliver: ([UInt8]) -> Void) -> End {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return .closed }
            var rest = bytes[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                rest = rest[(end + 1)...]
                guard line.count <= Self.lineLimit else { return .lineTooLong }
                if !line.isEmpty { deliver(line) }
                line = []
            }
            line += rest
            guard line.count <= Self.lineLimit else { return .lineTooLong }
        }
    }

    /// True if the peer has closed both directions, or has exited.
    package var isHungUp: Bool {
        var socket = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&socket, 1, 0) > 0 && socket.revents & Int16(POLLHUP) != 0
    }

    /// Lets the peer send one more message.
    package func didHandle() { room.signal() }

    // MARK: - Writing

    /// Sends a line, or keeps it until the peer accepts it; lines sent after the end are lost.
    package func send(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            let startsWriter = state.withLock { state in
                guard !state.isClosed, !state.closesWhenSent else { return false }
                var rest = UnsafeRawBufferPointer(bytes)
                if state.unsent.isEmpty {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(write(rest)))
                }
                guard !rest.isEmpty else { return false }
                if state.unsent.isEmpty { state.lastProgress = .now }
                state.unsent.append(Array(rest))
                defer { state.isWriting = true }
                return !state.isWriting
            }
            if startsWriter { writer.async { [self] in writeRest() } }
        }
    }

    /// Writes the bytes that the peer accepts at once, and returns their number.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        // architecture: allow direct-networking, because both ends are processes of this machine
        return max(0, Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    private func writeRest() {
        while true {
            var socket = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&socket, 1, -1)
            let (isDone, waiting) = state.withLock { state in
                // The stream may have been closed meanwhile.
                let count = state.unsent.isEmpty ? 0 : state.unsent.first.withUnsafeBytes(write)
                if count > 0 {
                    state.lastProgress = .now
                    state.unsent.removeFirst(count)
                }
                if socket.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { state.unsent = Backlog() }
                if state.unsent.isEmpty { state.isWriting = false }
                return (state.unsent.isEmpty, state.takeWaiting())
            }
            for proceed in waiting { proceed() }
            guard isDone else { continue }
            if state.withLock({ $0.closesWhenSent }) { close() }
            return
        }
    }

    /// The time in which the peer has lagged without accepting anything; nil if it does not lag.
    package var stalled: Duration? {
        state.withLock { $0.isBehind ? $0.lastProgress.duration(to: .now) : nil }
    }

    /// Waits while the peer is lagging.
    package func drained() async {
        await withCheckedContinuation { continuation in whenDrained { continuation.resume() } }
    }

    private func whenDrained(_ proceed: @escaping @Sendable () -> Void) {
        let isBehind = state.withLock { state in
            if state.isBehind { state.waiting.append(proceed) }
            return state.isBehind
        }
        if !isBehind { proceed() }
    }

    /// The number of bytes that the peer has not accepted.
    package var unsentCount: Int { state.withLock { $0.unsent.count } }

    // MARK: - Ending

    /// Sends a line to a peer that was never read from, and ends.
    package func refuse(_ line: String) {
        send(line)
        closeWhenSent()
    }

    /// Closes the socket once everything is sent.
    package func closeWhenSent() {
        let isSent = state.withLock { state in
            state.closesWhenSent = true
            return state.unsent.isEmpty
        }
        if isSent { close() }
    }

    /// Ends both directions; unsent output is lost.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            state.unsent = Backlog()
            return state.takeWaiting()
        }
        for proceed in waiting { proceed() }
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// Bytes in the pieces in which they came; removing some costs the same however many there are.
private struct Backlog {
    private var pieces: [ArraySlice<UInt8>] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: ArraySlice<UInt8> { pieces[head] }

    mutating func append(_ bytes: [UInt8]) {
        pieces.append(bytes[...])
        count += bytes.count
    }

    /// Removes bytes of the first piece.
    mutating func removeFirst(_ count: Int) {
        self.count -= count
        pieces[head] = pieces[head].dropFirst(count)
        guard pieces[head].isEmpty else { return }
        pieces[head] = []
        head += 1
        if head == pieces.count { (pieces, head) = ([], 0) }
    }
}
