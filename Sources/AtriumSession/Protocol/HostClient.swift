package import AtriumKit
package import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Synchronization

/// A connection to a running host; Docs/protocol.md describes the messages.
@MainActor
package final class HostClient {
    private let stream: LineStream<RPCMessage>
    private var waiting: [RPCID: Waiting] = [:]

    /// A request without an answer.
    private struct Waiting {
        /// True if it runs a line, whose outcome is then unknown if the host ends.
        let isLine: Bool
        let continuation: CheckedContinuation<RPCParameters, any Error>
    }

    /// The answers to the host's requests that are in progress.
    private var answering: [RPCID: Task<Void, Never>] = [:]
    private var number: Int64 = 0
    private(set) var hasEnded = false
    /// The host's reason for ending the connection.
    private(set) var reason: String?
    /// True if the host comes back.
    private(set) var hostRestarts = false
    /// The error with which the host refused the connection.
    private var refusal: RPCError?
    /// The answer for ``wait(for:_:timeout:)``, received off the main queue.
    private let direct = DirectAnswer()

    /// Handles notifications from the host.
    var receive: @MainActor (_ method: String, RPCParameters) -> Void = { _, _ in }
    /// Called when the connection has ended.
    var didEnd: @MainActor () -> Void = {}
    /// Answers requests from the host.
    var answer: @MainActor (_ method: String, RPCParameters) async throws -> JSONObject = { _, _ in
        throw CancellationError()
    }

    /// Connects to the host that serves a folder; nil if none does.
    ///
    /// - Throws: ``ShellError`` if the host belongs to another user.
    package convenience init?(to folder: DataFolder) throws(ShellError) {
        guard let descriptor = try HostSocket.connect(to: folder) else { return nil }
        self.init(descriptor)
    }

    /// Takes over a connected socket.
    init(_ descriptor: CInt) {
        stream = LineStream(descriptor)
        start()
    }

    package var process: Int32 { HostSocket.peer(of: stream.descriptor)?.pid ?? 0 }

    private func start() {
        let reads = stream.read { [direct] line in
            let message = RPCMessage(line: line)
            direct.take(message)
            return message
        } receive: { [weak self, stream] message in
            self?.handle(message)
            stream.didHandle()
        } didEnd: { [weak self] _ in
            self?.end()
        }
        guard !reads else { return }
        (hasEnded, reason) = (true, "The system has no thread left for this process.")
    }

    private func handle(_ message: RPCMessage) {
        switch message {
        case .response(let id, let result): waiting.removeValue(forKey: id)?.continuation.resume(with: result)
        case .notification("end", let parameters):
            (reason, hostRestarts) = (parameters.text("reason"), parameters.flag("restarts"))
        case .notification(let method, let parameters): receive(method, parameters)
        case .request(let id, let method, let parameters):
            answering[id] = Task {
                defer { answering[id] = nil }
                do {
                    stream.send(RPCMessage.result(id, try await answer(method, parameters)))
                } catch {
                    let explained = ShellError.explain(error)
                    stream.send(RPCMessage.failure(id, RPCError(explained)))
                }
            }
        case .refusal(let error):
            refusal = error
            reason = error.message
        case .invalid(_, let error): reason = reason ?? error.message
        }
    }

    /// Sends a request, and waits for the answer.
    ///
    /// - Throws: ``RPCError`` from the host, also if it refuses the connection, or ``ShellError`` with code
    ///   `hostGone`, or `unknownOutcome` if the host ended without a reason while it ran a line.
    func request(_ method: String, _ parameters: JSONObject = [:]) async throws -> RPCParameters {
        guard !hasEnded else { throw ShellError.hostGone(reason) }
        number += 1
        let id = RPCID.number(number)
        return try await withCheckedThrowingContinuation { continuation in
            waiting[id] = Waiting(isLine: method == "run", continuation: continuation)
            stream.send(RPCMessage.request(id, method, parameters))
        }
    }

    /// Sends a request, and blocks the thread until the answer; nil on timeout.
    func wait(for method: String, _ parameters: JSONObject, timeout: DispatchTimeInterval) -> RPCParameters? {
        guard !hasEnded else { return nil }
        number += 1
        let id = RPCID.number(number)
        direct.expect(id)
        stream.send(RPCMessage.request(id, method, parameters))
        return direct.wait(timeout)
    }

    func notify(_ method: String, _ parameters: JSONObject = [:]) {
        stream.send(RPCMessage.notification(method, parameters))
    }

    /// Cancels the running and the waiting lines, and the answers that the host waits for.
    func cancel() {
        notify("cancel", ["all": true])
        for task in answering.values { task.cancel() }
    }

    package func close() { stream.close() }

    private func end() {
        hasEnded = true
        for request in waiting.values {
            let error = reason == nil && request.isLine ? ShellError.endedMeanwhile : .hostGone(reason)
            request.continuation.resume(throwing: refusal ?? error)
        }
        waiting = [:]
        didEnd()
    }
}

/// An answer that the reading thread receives while the main thread waits for it.
private final class DirectAnswer: Sendable {
    private let state = Mutex((id: RPCID?.none, answer: RPCParameters?.none))
    private let arrival = DispatchSemaphore(value: 0)

    func expect(_ id: RPCID) { state.withLock { $0 = (id, nil) } }

    func take(_ message: RPCMessage) {
        guard case .response(let id, let result) = message else { return }
        let isExpected = state.withLock { state in
            guard state.id == id else { return false }
            state = (nil, try? result.get())
            return true
        }
        if isExpected { arrival.signal() }
    }

    func wait(_ timeout: DispatchTimeInterval) -> RPCParameters? {
        guard arrival.wait(timeout: .now() + timeout) == .success else {
            // An answer that arrives now must not be taken for the next.
            let isLate = state.withLock { state in
                defer { state.id = nil }
                return state.id == nil
            }
            if isLate { arrival.wait() }
            return nil
        }
        return state.withLock { $0.answer }
    }
}

extension ShellError {
    package static func noHost(_ folder: String) -> ShellError {
        ShellError(
            "noHost", "No host runs on \(folder).",
            hint: "Start one: atrium, or atrium serve; --data DIR names another folder.")
    }

    /// The error of a command during which the host ended.
    package static let endedMeanwhile = ShellError(
        .unknownOutcome, "The host ended while this command ran; it is not known whether it was performed.",
        hint: "Check what was done before you repeat it.")

    package var isEndOfHost: Bool { code == .hostGone || code == .unknownOutcome }

    package static func hostGone(_ reason: String?) -> ShellError {
        ShellError(
            .hostGone, reason ?? "The host has ended unexpectedly.",
            hint: reason == nil ? "'atrium' starts it again, and says what happened." : nil)
    }

    package init(_ error: RPCError) {
        let data = error.data
        let exit = data.number("exit").flatMap { ExitStatus(rawValue: Int32(truncatingIfNeeded: $0)) }
        self.init(
            ErrorCode(stringLiteral: data.text("code") ?? "protocol"), data.text("message") ?? error.message,
            hint: data.text("hint"), category: exit.map(ExitStatus.category) ?? .failure)
    }
}

extension ErrorCode { package static let hostGone: ErrorCode = "hostGone" }
