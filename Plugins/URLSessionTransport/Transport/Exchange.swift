import AtriumKit
import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// One request on the wire, and what came back of it so far.
///
/// Whatever ends it first does: the answer, a failure, the deadline or the caller.
///
/// Unchecked for the answer: only what the session tells touches it, one after the other on the session's queue.
final class Exchange: @unchecked Sendable {
    let request: HTTPRequest
    private let urlRequest: URLRequest
    private let state = Mutex(State())
    private let answer: AnswerBody

    /// Unchecked for the timer, which any thread may cancel.
    private struct State: @unchecked Sendable {
        var task: URLSessionTask?
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var timer: (any DispatchSourceTimer)?
        var outcome: Result<HTTPResponse, any Error>?
    }

    /// - Throws: ``TransportError`` for a request that can't be sent.
    init(_ request: HTTPRequest, answer: AnswerBody) throws {
        self.request = request
        self.answer = answer
        urlRequest = try URLRequest(request)
    }

    /// Whether the server does the same however often it gets the request.
    var mayBeSentTwice: Bool {
        request.method.isSafe || request.fields["Idempotency-Key"] != nil
    }

    /// Whether the session asks for the body again before it sends the request a second time.
    var noticesResending: Bool {
        switch request.body {
        case .none: false
        case .bytes(let bytes): !bytes.isEmpty
        case .file: true
        @unknown default: false
        }
    }

    /// Sends the request, and waits for what ends the exchange.
    func run(
        on session: URLSession, _ delegate: SessionDelegate, until deadline: ContinuousClock.Instant
    ) async throws -> HTTPResponse {
        let task = makeTask(in: session)
        delegate.add(self, for: task)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(task, continuation, until: deadline)
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func makeTask(in session: URLSession) -> URLSessionTask {
        switch request.body {
        case .bytes(let bytes): session.uploadTask(with: urlRequest, from: Data(bytes))
        case .file(let path): session.uploadTask(with: urlRequest, fromFile: URL(filePath: path))
        default: session.dataTask(with: urlRequest)
        }
    }

    private func begin(
        _ task: URLSessionTask, _ continuation: CheckedContinuation<HTTPResponse, any Error>,
        until deadline: ContinuousClock.Instant
    ) {
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { [weak self] in self?.expire() }
        timer.schedule(deadline: .now() + .nanoseconds((deadline - .now).nanoseconds))
        let outcome = state.withLock { state in
            if state.outcome == nil {
                state.task = task
                state.continuation = continuation
                state.timer = timer
            }
            return state.outcome
        }
        timer.activate()
        if let outcome {
            timer.cancel()
            task.cancel()
            return continuation.resume(with: outcome)
        }
        task.resume()
    }

    private func expire() {
        finish(.failure(TransportError.timedOut(request)))
    }

    /// Ends the exchange, where nothing did before.
    private func finish(_ outcome: Result<HTTPResponse, any Error>) {
        let ended = state.withLock { state -> State? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { (state.task, state.continuation, state.timer) = (nil, nil, nil) }
            return state
        }
        guard let ended else { return }
        ended.timer?.cancel()
        ended.continuation?.resume(with: outcome)
        if let task = ended.task, case .failure = outcome { Self.cancel(task) }
    }

    /// Cancels elsewhere: cancelling waits for the session's queue, which may be where this is called.
    static func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { task.cancel() }
    }

    /// Whether nothing that comes makes a difference any more.
    var isFinished: Bool { state.withLock { $0.outcome != nil } }

    // MARK: - What the session tells

    /// The head of the answer is there.
    func receive(_ response: URLResponse) {
        guard !isFinished, let response = response as? HTTPURLResponse else { return }
        attempt { try answer.begin(HTTPResponse(response), response.expectedContentLength, of: request) }
    }

    /// More of the body is there.
    func receive(_ data: Data) {
        guard !isFinished else { return }
        attempt { try answer.append(data, of: request) }
    }

    /// Nothing more comes.
    func complete(_ error: (any Error)?, _ response: URLResponse?) {
        guard !isFinished else { return }
        if let error { return finish(.failure(TransportError(error, request))) }
        // The head of a redirect to nowhere is not told before.
        if !answer.hasBegun, let response { receive(response) }
        attempt { finish(.success(try answer.finish(of: request))) }
    }

    /// The session is about to send the body a second time, which it can't.
    func refuseResending() {
        if noticesResending { finish(.failure(TransportError.connectionLost(request))) }
    }

    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch {
            finish(.failure(error))
        }
    }
}

extension Duration {
    /// In nanoseconds, as far as they can be counted, and not below 0.
    fileprivate var nanoseconds: Int {
        let (seconds, attoseconds) = components
        let limited = min(max(seconds, 0), 1_000_000_000)
        return Int(limited) * 1_000_000_000 + max(Int(attoseconds / 1_000_000_000), 0)
    }
}
