import AtriumKit
internal import CCurl
import Synchronization

/// One request on the wire and its response.
///
/// The response, an error, a limit or a cancellation ends it, whichever comes first.
// architecture: allow unchecked-sendable, because all but the ending belongs to the transport's thread
final class Exchange: @unchecked Sendable {
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    let upload: UploadFile?
    private let body: ResponseBody
    private var head = ResponseHead()
    /// The reason a callback stopped the transfer.
    private var failure: TransportError?
    /// The number of times that libcurl was about to send the request.
    private(set) var sends = 0
    /// The time of the last byte sent or received; nil before the request is sent.
    private(set) var lastActivity: ContinuousClock.Instant?

    /// The socket in use; nil before there is a connection, or if it is unknown.
    private var socket: CInt?
    /// True if the connection in use was kept from an earlier exchange.
    var isOnKeptConnection: (() -> Bool)?
    /// True if the kept connection had input before the request was sent.
    private var foundInput = false
    /// True if the request must not use a kept connection.
    private(set) var needsNewConnection = false

    /// Watches the end of the connection in use, and returns it; nil where that can't be known.
    var watchEnd: (() -> UnsafeRawPointer?)?
    /// The connection whose end is that of the body.
    private var watched: UnsafeRawPointer?

    /// Describes the connection in use; nil if not requested.
    var connection: (() -> HTTPConnection)?

    private let ending = Mutex(Ending())

    private struct Ending: Sendable {
        var continuation: CheckedContinuation<HTTPResponse, any Error>?
        var result: Result<HTTPResponse, any Error>?
    }

    /// - Throws: ``TransportError`` for an invalid field, or a file that can't be read.
    init(
        _ request: HTTPRequest, _ body: ResponseBody, deadline: ContinuousClock.Instant
    ) throws(TransportError) {
        self.request = request
        self.body = body
        self.deadline = deadline
        try request.checkFields()
        upload = if case .file(let path) = request.body { try UploadFile(path) } else { nil }
    }

    /// True if the body goes to a file, perhaps in large parts.
    var isDownload: Bool { body.isForFile }

    func run(on thread: TransportThread) async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = ending.withLock { ending in
                    if ending.result == nil { ending.continuation = continuation }
                    return ending.result
                }
                if let result { return continuation.resume(with: result) }
                thread.start(self)
            }
        } onCancel: {
            finish(.failure(CancellationError()))
            thread.drop(self)
        }
    }

    /// Ends the exchange unless it has ended.
    func finish(_ result: Result<HTTPResponse, any Error>) {
        let continuation = ending.withLock { ending in
            guard ending.result == nil else { return nil as CheckedContinuation<HTTPResponse, any Error>? }
            ending.result = result
            defer { ending.continuation = nil }
            return ending.continuation
        }
        continuation?.resume(with: result)
    }

    var isFinished: Bool { ending.withLock { $0.result != nil } }

    // MARK: - Events on the transport's thread

    /// Decides whether the request is sent, now that there is a connection.
    ///
    /// libcurl resends it on its own if a kept connection ends before the answer begins. Only a read may be
    /// repeated: the server may have performed the change, and the body would not be sent from its start.
    ///
    /// Input that arrives before a request is sent is not its answer: it is a second answer to the former
    /// request, status 408 of a server that gives up the connection, or the connection's end.
    func mayBeSent(over socket: CInt) -> Bool {
        leaveSocket()
        self.socket = socket < 0 ? nil : socket
        if let socket = self.socket, isOnKeptConnection?() == true, ccurl_has_input(socket) != 0 {
            foundInput = true
            return false
        }
        sends += 1
        lastActivity = .now
        guard sends == 1 || request.method.isSafe else { return false }
        head = ResponseHead()
        return true
    }

    func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        attempt { () throws(TransportError) in
            let wasComplete = head.isComplete
            do throws(ResponseHead.Problem) {
                try head.append(line)
            } catch {
                throw .unreadable(request, error.sentence)
            }
            guard !wasComplete, head.isFinal, var response = head.response else { return }
            response.connection = connection?()
            if request.method != .head, head.endsWithConnection { watched = watchEnd?() }
            try body.begin(response, head.contentLength, of: request)
        }
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        attempt { () throws(TransportError) in try body.append(bytes, of: request) }
    }

    /// The next bytes of the body; nil if they can't be read.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        var count = 0
        let isRead = attempt { () throws(TransportError) in
            count = try upload?.read(into: buffer) ?? 0
        }
        return isRead ? count : nil
    }

    /// Ends the exchange with libcurl's error; nil if the transfer is complete.
    func complete(_ error: CurlFailure?) {
        let result: Result<HTTPResponse, any Error>
        if let failure {
            result = .failure(failure)
        } else if let error {
            result = .failure(TransportError(error, request, wasSent: sends > 0))
        } else if !head.isFinal || watched.map({ ccurl_was_closed($0) == 0 }) == true {
            result = .failure(TransportError.connectionLost(request))
        } else {
            result = Result { try body.finish(of: request) }
        }
        if case .failure = result { body.discard() }
        finish(result)
    }

    /// Restarts the exchange on a new connection if its kept one was unusable; never a sent change.
    func restarts() -> Bool {
        guard foundInput, sends == 0 || request.method.isSafe else { return false }
        (foundInput, needsNewConnection) = (false, true)
        return true
    }

    func leaveSocket() {
        if let socket { ccurl_leave_socket(socket) }
        socket = nil
    }

    /// Removes the data written; the exchange has ended.
    func discard() { body.discard() }

    /// Ends the exchange with an error that is not libcurl's.
    func fail(_ error: TransportError) {
        body.discard()
        finish(.failure(error))
    }

    private func attempt(_ step: () throws(TransportError) -> Void) -> Bool {
        guard failure == nil else { return false }
        lastActivity = .now
        do {
            try step()
            return true
        } catch {
            failure = error
            return false
        }
    }
}

extension HTTPRequest {
    /// Fields that describe the message itself; conflicting values would mean two different messages.
    private static let transportsOwn: Set<String> = [
        "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer", "expect",
    ]

    fileprivate func checkFields() throws(TransportError) {
        for field in fields.fields {
            guard Self.isValid(field) else {
                throw TransportError(
                    "invalidField",
                    "\(shown) can't be sent: its field '\(field.name)' has invalid characters.",
                    neverSent: true)
            }
            guard !Self.transportsOwn.contains(field.name.lowercased()) else {
                throw TransportError(
                    "invalidField", "\(shown) can't be sent: the transport itself sets '\(field.name)'.",
                    neverSent: true)
            }
        }
    }

    /// RFC 9110, 5.1 and 5.5.
    private static func isValid(_ field: HTTPFields.Field) -> Bool {
        !field.name.isEmpty
            && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
    }
}
