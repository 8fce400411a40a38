@_spi(Host) package import AtriumKit
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Records requests and their answers in a file, as an HTTP Archive (HAR 1.2), without secrets.
///
/// A value that is secret by its name is hidden wherever it occurs, also in earlier entries. The file is whole at
/// any time: it is written when it begins, at most once a second while answers arrive, and at the end.
package final class HTTPRecorder: Sendable {
    /// The path of the file.
    package let path: String
    private let version: String
    private let clock: any WallClock
    private let state: Mutex<State>
    /// Held from the entries to the file, so that an older one never replaces a newer one.
    private let written: Mutex<RecordedEntries>

    /// The state of the recording between two writes of the file.
    private struct State {
        /// The number of requests so far.
        var count = 0
        var answered: [RecordedEntries.Answered] = []
        var secrets: [String] = []
        var isWriting = false
    }

    /// Begins a recording, or continues that of an earlier host.
    ///
    /// - Throws: ``RecordingError`` if the file to continue can't be read, `FileError` if it can't be written.
    package init(
        _ path: String, continuing earlier: HTTPRecording?, version: String, clock: any WallClock
    ) throws {
        (self.path, self.version, self.clock) = (path, version, clock)
        let exchanges = earlier?.exchanges ?? []
        // Another program may have written it, with secrets.
        let rule = SecretRule(nil)
        state = Mutex(
            State(
                count: exchanges.count,
                answered: exchanges.enumerated().map {
                    RecordedEntries.Answered(index: $0, exchange: $1, rule: rule)
                }, secrets: Redactor.proxySecrets))
        written = Mutex(RecordedEntries(secrets: RecordedSecrets(after: earlier?.highestStandIn ?? 0)))
        // A file that can't be written fails at once.
        if earlier == nil { try write() } else { _ = try AtomicFile(path, replaces: true) }
    }

    /// A transport that records what another one sends.
    package func recording(
        _ transport: any HTTPTransport, of configuration: APIConfiguration
    ) -> any HTTPTransport {
        state.withLock { $0.secrets += configuration.wire.secrets }
        return RecordingTransport(
            transport: transport, recorder: self, rule: SecretRule(configuration))
    }

    /// Writes the file for the last time.
    ///
    /// - Throws: `FileError`; the file then has what it had before.
    package func finish() throws { try write() }

    private func write() throws {
        try written.withLock { written in
            let new = state.withLock { state in
                defer { (state.answered, state.secrets) = ([], []) }
                return state
            }
            written.add(new.answered, new.secrets)
            try write(written.lines)
        }
    }

    private func write(_ lines: [String]) throws {
        let head = #"{"log":{"version":"1.2","creator":{"name":"Atrium","version":"\#(version)"},"entries":["#
        let text = "\(head)\n\(lines.joined(separator: ",\n"))\(lines.isEmpty ? "" : "\n")]}}\n"
        let file = try AtomicFile(path, replaces: true)
        try file.write(Array(text.utf8))
        try file.finish(synchronizing: false)
    }

    // MARK: - Exchanges

    /// Runs a request and notes its answer; not a cancelled one.
    fileprivate func note(
        _ request: HTTPRequest, _ rule: SecretRule, _ send: () async throws -> HTTPResponse,
        body: (HTTPResponse) -> RecordedExchange.Body
    ) async throws -> HTTPResponse {
        let index = state.withLock { state in
            defer { state.count += 1 }
            return state.count
        }
        var exchange = RecordedExchange(request, at: clock.now().description)
        let start = ContinuousClock.now
        do {
            let response = try await send()
            exchange.milliseconds = Int64((ContinuousClock.now - start) / .milliseconds(1))
            (exchange.status, exchange.responseFields) = (response.status, response.fields)
            exchange.responseBody = body(response)
            add(exchange, rule, at: index)
            return response
        } catch let error as TransportError {
            exchange.failure = error
            if !Task.isCancelled { add(exchange, rule, at: index) }
            throw error
        }
    }

    private func add(_ exchange: RecordedExchange, _ rule: SecretRule, at index: Int) {
        let begins = state.withLock { state in
            state.answered.append(RecordedEntries.Answered(index: index, exchange: exchange, rule: rule))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: .seconds(1))
            guard let self else { return }
            state.withLock { $0.isWriting = false }
            // A disk that stays full is reported at the end.
            try? write()
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
            requestFields: request.fields, requestBody: Body(request.body), status: 0)
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
