import AtriumKit
import Glibc
import Synchronization

/// A transport without a network: answers as a test says, records requests, and holds them until they are released.
///
/// ```swift
/// let transport = ScriptedTransport { request in .json(#"{"id": 1}"#) }
/// transport.hold { $0.url.hasSuffix("/oauth/token") }
/// …
/// await transport.waitUntilHeld(1)
/// transport.release()
/// ```
final class ScriptedTransport: HTTPTransport {
    /// Answers a request.
    typealias Reply = @Sendable (HTTPRequest) async throws -> HTTPResponse

    private struct State {
        var requests: [HTTPRequest] = []
        var holds: (@Sendable (HTTPRequest) -> Bool)?
        var held: [(number: Int, request: HTTPRequest, gate: CheckedContinuation<Void, any Error>)] = []
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, gate: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let reply: Reply

    /// Answers every request by a closure, which may throw ``TransportError``.
    init(_ reply: @escaping Reply) {
        self.reply = reply
    }

    /// Answers with these, one after the other; a request after the last one finds the connection closed.
    convenience init(script: [Result<HTTPResponse, TransportError>]) {
        let rest = ScriptLines(script)
        self.init { _ in try rest.next() }
    }

    /// The requests so far, in order, including held ones.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The held requests, in order.
    var held: [HTTPRequest] { state.withLock { $0.held.map(\.request) } }

    /// Holds requests from now on.
    ///
    /// - Parameter matches: Selects the requests; all by default.
    func hold(_ matches: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }) {
        state.withLock { $0.holds = matches }
    }

    /// Releases all held requests, and holds nothing from now on.
    func release() {
        let gates = state.withLock { state in
            state.holds = nil
            defer { state.held = [] }
            return state.held.map(\.gate)
        }
        for gate in gates { gate.resume() }
    }

    /// Releases one held request; others, and new ones, stay held.
    ///
    /// - Parameter index: Its index in ``held``.
    func releaseOne(at index: Int = 0) {
        state.withLock { $0.held.indices.contains(index) ? $0.held.remove(at: index).gate : nil }?.resume()
    }

    /// Waits until at least `count` requests are held at the same time.
    func waitUntilHeld(_ count: Int) async {
        await withCheckedContinuation { gate in
            let isThere = state.withLock { state in
                guard state.held.count < count else { return true }
                state.watchers.append((count, gate))
                return false
            }
            if isThere { gate.resume() }
        }
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = state.withLock { state in
            state.requests.append(request)
            return state.requests.count
        }
        try await pass(request, number)
        try Task.checkCancellation()
        return try await reply(request)
    }

    /// Answers as ``send(_:)`` does; the body of a status from 200 to 299 goes to the file in one piece.
    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        var response = try await send(request)
        guard (200..<300).contains(response.status) else { return response }
        try write(response.body, to: path)
        let count = Int64(response.body.count)
        progress(TransferProgress(received: count, expected: count))
        response.body = []
        return response
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else {
            throw TransportError(.requestFailed, "The file \(path) can't be written.")
        }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    /// Waits while the request is held; cancellation ends that.
    private func pass(_ request: HTTPRequest, _ number: Int) async throws {
        guard state.withLock({ $0.holds?(request) ?? false }) else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(request, number, $0) }
        } onCancel: {
            leave(number)
        }
    }

    private func enter(_ request: HTTPRequest, _ number: Int, _ gate: CheckedContinuation<Void, any Error>) {
        let (isCancelled, watchers) = state.withLock { state in
            guard state.cancelled.remove(number) == nil else {
                return (true, [] as [CheckedContinuation<Void, Never>])
            }
            state.held.append((number, request, gate))
            let count = state.held.count
            let watchers = state.watchers.filter { $0.count <= count }.map(\.gate)
            state.watchers.removeAll { $0.count <= count }
            return (false, watchers)
        }
        if isCancelled { gate.resume(throwing: CancellationError()) }
        for watcher in watchers { watcher.resume() }
    }

    private func leave(_ number: Int) {
        let gate = state.withLock { state in
            guard let index = state.held.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.held.remove(at: index).gate
        }
        gate?.resume(throwing: CancellationError())
    }
}

/// Answers that are given once each.
private final class ScriptLines: Sendable {
    private let rest: Mutex<ArraySlice<Result<HTTPResponse, TransportError>>>

    init(_ lines: [Result<HTTPResponse, TransportError>]) {
        rest = Mutex(lines[...])
    }

    func next() throws -> HTTPResponse {
        guard let line = rest.withLock({ $0.popFirst() }) else {
            throw TransportError(.connectionLost, "The script has no more answers.")
        }
        return try line.get()
    }
}

extension HTTPResponse {
    /// An answer with a JSON text as its body.
    static func json(
        _ text: String, status: Int = 200, _ fields: HTTPFields = HTTPFields()
    ) -> HTTPResponse {
        var fields = fields
        if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json; charset=utf-8" }
        return HTTPResponse(status: status, fields: fields, body: Array(text.utf8))
    }
}
