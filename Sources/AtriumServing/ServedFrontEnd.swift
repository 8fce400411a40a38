internal import AtriumCommands
internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRedirection
internal import AtriumSession
internal import AtriumText
internal import FoundationEssentials
internal import Glibc

/// The front end at the other end of a socket; Docs/protocol.md describes its messages.
@MainActor
package final class ServedFrontEnd: FrontEnd {
    private let stream: LineStream<RPCMessage>
    private let description: FrontEndDescription
    /// The size of its terminal; nil without one.
    var size: TerminalSize?
    private lazy var output = outputStream("output")
    private var asked: [RPCID: CheckedContinuation<RPCParameters, any Error>] = [:]
    private var questions: Int64 = 0
    /// The number of the client's files and programs opened so far.
    private var targets: Int64 = 0
    private(set) var hasEnded = false
    /// True if it was sent output since its last acknowledgement.
    var mayBeUnwritten = false
    /// The error after which the client can't write output; nil while it can.
    var unwritten: ShellError?
    private(set) var hasReportedUnwritten = false

    init(_ description: FrontEndDescription, over stream: LineStream<RPCMessage>) {
        self.description = description
        self.stream = stream
        size = description.size
    }

    // MARK: - Output

    var streams: LineRunner.Streams {
        let errorWidth = description.errorColumns.map { columns in
            { @MainActor [weak self] in
                guard let self, description.isPerson else { return columns }
                return size?.columns ?? columns
            }
        }
        return LineRunner.Streams(output: output, errors: outputStream("error"), errorWidth: errorWidth)
    }

    func viewport(of scene: Scene) -> ViewportFeed {
        ViewportFeed(
            scene.viewport, option: description.isSizeFixed ? size : nil,
            measure: { [weak self] in MainActor.assumeIsolated { self?.size } })
    }

    /// A stream whose text is sent as notifications.
    private func outputStream(_ name: String) -> OutputStream {
        OutputStream(name: "The client's output") { [weak self] bytes in
            guard let self, !hasEnded else { return EPIPE }
            mayBeUnwritten = true
            send(String(decoding: bytes, as: UTF8.self), to: name)
            return nil
        }
    }

    /// Sends text in messages of limited length.
    func send(_ text: String, to name: String, _ more: JSONObject = [:]) {
        var rest = text[...]
        while !rest.isEmpty {
            // Control characters take six bytes in JSON.
            let piece = rest.utf8.count <= Self.pieceLength ? rest : rest.prefix(Self.pieceLength)
            rest = rest[piece.endIndex...]
            var parameters: JSONObject = ["stream": .string(name), "text": .string(String(piece))]
            for member in more.members { parameters[member.key] = member.value }
            notify("output", parameters)
        }
    }

    private static let pieceLength = 128 * 1024

    private func notify(_ method: String, _ parameters: JSONObject) {
        stream.send(RPCMessage.notification(method, parameters))
    }

    func receive(_ event: SessionEvent) {
        switch event {
        case .output(let text): send(text, to: "output")
        case .error(let text): send(text, to: "error")
        case .screen(let text): send(text, to: "screen")
        case .above(let text, let prompt):
            notify("above", ["text": .string(text), "prompt": .string(prompt)])
        case .history(let line): notify("history", ["line": line.map { .string($0) } ?? .null])
        case .echo(let isOn): notify("echo", ["on": .bool(isOn)])
        case .began, .lost, .restored, .end: break
        }
    }

    func drained() async { await stream.drained() }

    /// Waits until the client has written all output; without acknowledgements, until it was sent.
    func written() async throws {
        if description.acknowledges { try output.flush() }
        if description.acknowledges, mayBeUnwritten {
            mayBeUnwritten = false
            do {
                _ = try await ask("written", [:])
            } catch let error where unwritten == nil {
                throw (error as? RPCError).map { ShellError($0) } ?? error
            } catch {}
        }
        guard let unwritten else { return }
        hasReportedUnwritten = true
        throw unwritten
    }

    // MARK: - Questions

    func secret(_ name: String) async throws -> String {
        guard let answer = try await askOrCancel("secret", ["name": .string(name)]).text("value")
        else { throw CancellationError() }
        return answer
    }

    func input() async throws -> [UInt8]? {
        let answer = try await askOrCancel("input", [:])
        guard !answer.flag("end") else { return nil }
        return answer.text("data").flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? []
    }

    func environment(_ name: String) async throws -> String? {
        try await askOrCancel("environment", ["name": .string(name)]).text("value")
    }

    /// Opens a file or program of the client to receive results.
    func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        targets += 1
        let target = RemoteTarget(targets, of: self)
        try await target.open(destination)
        return target
    }

    /// Sends the client a request, which it may refuse.
    func ask(_ method: String, _ parameters: JSONObject) async throws -> RPCParameters {
        guard !hasEnded else { throw CancellationError() }
        questions += 1
        let id = RPCID.number(questions)
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                asked[id] = continuation
                stream.send(RPCMessage.request(id, method, parameters))
            }
        } onCancel: {
            Task { @MainActor in self.asked.removeValue(forKey: id)?.resume(throwing: CancellationError()) }
        }
    }

    /// Sends the client a request; if it refuses, the command is cancelled.
    private func askOrCancel(_ method: String, _ parameters: JSONObject) async throws -> RPCParameters {
        do {
            return try await ask(method, parameters)
        } catch is RPCError {
            throw CancellationError()
        }
    }

    /// Takes the client's answer to a question.
    func take(_ answer: Result<RPCParameters, RPCError>, of id: RPCID) {
        asked.removeValue(forKey: id)?.resume(with: answer.mapError { $0 as any Error })
    }

    /// Cancels the open questions.
    func close() {
        hasEnded = true
        for continuation in asked.values { continuation.resume(throwing: CancellationError()) }
        asked = [:]
    }
}
