@_spi(Host) package import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// Records requests and their answers in a file, as an HTTP Archive (HAR 1.2), without secrets.
package final class HTTPRecorder: Sendable {
    private let writer: RecordingWriter<RecordedExchange>
    private let clock: any WallClock

    /// Begins a recording, or continues that of an earlier host.
    ///
    /// - Throws: ``RecordingError`` if the file to continue can't be read, `FileError` if it can't be written.
    package init(
        _ path: String, continuing earlier: HTTPRecording?, version: String, clock: any WallClock
    ) throws {
        self.clock = clock
        let head = #"{"log":{"version":"1.2","creator":{"name":"Atrium","version":"\#(version)"},"entries":["#
        writer = try RecordingWriter(
            path, frame: (head, "]}}"), continuing: earlier?.exchanges,
            after: earlier?.highestStandIn ?? 0)
        writer.hide(Redactor.proxySecrets)
    }

    /// A transport that records what another one sends.
    package func recording(
        _ transport: any HTTPTransport, of configuration: APIConfiguration
    ) -> any HTTPTransport {
        writer.hide(configuration.wire.secrets)
        return RecordingTransport(
            transport: transport, recorder: self, rule: SecretRule(configuration))
    }

    /// Writes the file for the last time.
    ///
    /// - Throws: `FileError`; the file then has what it had before.
    package func finish() throws { try writer.write() }

    // MARK: - Exchanges

    /// Runs a request and notes its answer; not a cancelled one.
    fileprivate func note(
        _ request: HTTPRequest, _ rule: SecretRule, _ send: () async throws -> HTTPResponse,
        body: (HTTPResponse) -> RecordedExchange.Body
    ) async throws -> HTTPResponse {
        let index = writer.begin()
        var exchange = RecordedExchange(request, at: clock.now().description)
        let start = ContinuousClock.now
        do {
            let response = try await send()
            exchange.milliseconds = Int64((ContinuousClock.now - start) / .milliseconds(1))
            (exchange.status, exchange.responseFields) = (response.status, response.fields)
            exchange.responseBody = body(response)
            writer.add(exchange, rule, at: index)
            return response
        } catch let error as TransportError {
            exchange.failure = error
            if !Task.isCancelled { writer.add(exchange, rule, at: index) }
            throw error
        }
    }
}

/// Sends over another transport, and records it.
private struct RecordingTransport: HTTPTransport {
    let transport: any HTTPTransport
    let recorder: HTTPRecorder
    let rule: SecretRule

    /// In bytes; larger files are noted without their content.
    private static let fileLimit = 16 * 1024 * 1024

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await recorder.note(request, rule) {
            try await transport.send(request)
        } body: {
            RecordedExchange.Body($0.body)
        }
    }

    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse {
        try await recorder.note(request, rule) {
            try await transport.download(request, to: path, progress: progress)
        } body: {
            (200..<300).contains($0.status)
                ? RecordedExchange.Body(file: path, limit: Self.fileLimit) : RecordedExchange.Body($0.body)
        }
    }
}

extension RecordedExchange {
    init(_ request: HTTPRequest, at start: String) {
        self.init(
            start: start, milliseconds: 0, method: request.method.rawValue, url: request.url,
            requestFields: request.fields,
            requestBody: Body(request.body).asForm(request.fields["Content-Type"]),
            status: 0)
    }
}

extension RecordedExchange.Body {
    init(_ body: HTTPBody) {
        switch body {
        case .none: self = .none
        case .bytes(let bytes): self.init(bytes)
        case .file(let path): self.init(file: path, limit: 16 * 1024 * 1024)
        @unknown default: self = .missing(1)
        }
    }

    /// The content of a file; missing if it is larger than `limit`, or can't be read.
    init(file path: String, limit: Int) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size <= limit else {
            self = .missing(max(1, Int(status.st_size)))
            return
        }
        // Foundation leaks its buffer when it reads an empty file.
        guard status.st_size > 0, let data = try? Data(contentsOf: URL(filePath: path)) else {
            self = status.st_size > 0 ? .missing(Int(status.st_size)) : .none
            return
        }
        self.init(Array(data))
    }
}
