import AtriumKit
import Dispatch
import Foundation
import FoundationNetworking
import Glibc
import Synchronization

/// One request on the wire and its response.
///
/// The response, an error, the deadline or a cancellation ends it, whichever comes first.
///
/// Unchecked for the body: only the session's events use it, one after the other on the session's queue.
final class Exchange: @unchecked Sendable {
    let request: HTTPRequest
    private let urlRequest: URLRequest
    private let state = Mutex(State())
    private let body: ResponseBody

    /// Unchecked for the timer, which any thread may cancel.
    private struct State: @unchecked Sendable {
        var task: URLSessionTask?
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var timer: (any DispatchSourceTimer)?
        var result: Result<HTTPResponse, any Error>?
    }

    /// - Throws: ``TransportError`` for a request that can't be sent.
    init(_ request: HTTPRequest, _ body: ResponseBody) throws {
        self.request = request
        self.body = body
        urlRequest = try URLRequest(request)
    }

    /// Whether a repeated request has no further effect.
    var mayBeSentTwice: Bool { request.method.isSafe || request.fields["Idempotency-Key"] != nil }

    /// Whether the session asks for the body again before it repeats the request.
    var noticesResending: Bool { request.body != .none && request.body != .bytes([]) }

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
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            finish(.failure(TransportError.timedOut(request)))
        }
        let wait = min(max((deadline - .now) / .nanoseconds(1), 0), 1e18)
        timer.schedule(deadline: .now() + .nanoseconds(Int(wait)))
        let result = state.withLock { state in
            if state.result == nil {
                state.task = task
                state.continuation = continuation
                state.timer = timer
            }
            return state.result
        }
        timer.activate()
        if let result {
            timer.cancel()
            task.cancel()
            return continuation.resume(with: result)
        }
        task.resume()
    }

    /// Ends the exchange unless it has ended.
    private func finish(_ result: Result<HTTPResponse, any Error>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { (state.task, state.continuation, state.timer) = (nil, nil, nil) }
            return state
        }
        guard let ended else { return }
        ended.timer?.cancel()
        ended.continuation?.resume(with: result)
        if let task = ended.task, case .failure = result { Self.cancel(task) }
    }

    /// Cancels on another thread: it waits for the session's queue, which may be the caller's.
    static func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { task.cancel() }
    }

    var isFinished: Bool { state.withLock { $0.result != nil } }

    // MARK: - Events of the session

    func receive(_ response: URLResponse) {
        guard !isFinished, let response = response as? HTTPURLResponse else { return }
        attempt { try body.begin(HTTPResponse(response), response.expectedContentLength, of: request) }
    }

    func receive(_ data: Data) {
        guard !isFinished else { return }
        attempt { try body.append(data, of: request) }
    }

    func complete(_ error: (any Error)?, _ response: URLResponse?) {
        guard !isFinished else { return }
        if let error { return finish(.failure(TransportError(error, request))) }
        // The session does not report the head of a redirect without a target before.
        if !body.hasBegun, let response { receive(response) }
        attempt { finish(.success(try body.finish(of: request))) }
    }

    /// Fails the exchange before the session sends the body a second time.
    func failIfResending() {
        if noticesResending { finish(.failure(TransportError.connectionLost(request))) }
    }

    private func attempt(_ step: () throws -> Void) {
        do { try step() } catch { finish(.failure(error)) }
    }
}

extension URLRequest {
    /// - Throws: ``TransportError`` for an invalid URL or field, or an unreadable file.
    init(_ request: HTTPRequest) throws {
        guard let url = URL(string: request.url), url.scheme == "http" || url.scheme == "https",
            url.host()?.isEmpty == false
        else { throw TransportError.badURL(request) }
        if case .file(let path) = request.body, access(path, R_OK) != 0 {
            throw TransportError(
                .fileUnreadable, "'\(path)' can't be sent: \(String(cString: strerror(errno))).",
                hint: "Name a file that you can read.", neverSent: true)
        }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for field in request.fields.fields {
            guard Self.isValid(field) else {
                throw TransportError(
                    "invalidField",
                    "\(request.shown) can't be sent: its field '\(field.name)' has invalid characters.",
                    neverSent: true)
            }
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        if request.fields["User-Agent"] == nil { setValue("atrium", forHTTPHeaderField: "User-Agent") }
    }

    /// RFC 9110, 5.1 and 5.5.
    private static func isValid(_ field: HTTPFields.Field) -> Bool {
        !field.name.isEmpty
            && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
    }
}

extension HTTPResponse {
    init(_ response: HTTPURLResponse) {
        self.init(status: response.statusCode)
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields.append(name, value) }
        }
    }
}
