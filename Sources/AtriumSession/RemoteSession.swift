internal import AtriumCommands
package import AtriumKit
package import AtriumLanguage
package import AtriumStorage
package import AtriumText
internal import Dispatch
internal import FoundationEssentials
internal import Glibc

/// A session in the host of another process, over its socket.
@MainActor
package final class RemoteSession: SceneSession {
    package weak var frontEnd: (any FrontEnd)?
    private let folder: DataFolder
    /// The options that the host must have.
    private let options: JSONObject
    private var description: FrontEndDescription
    package private(set) var client: HostClient
    /// True if the session has begun for a user, who waits for a host that crashed.
    private var reconnects = false
    /// The wait for a crashed host; true if it returned.
    private var reconnection: Task<Bool, Never>?
    private lazy var targets = ClientTargets { [weak self] in
        guard let frontEnd = self?.frontEnd else { throw CancellationError() }
        return try await frontEnd.open($0)
    }
    private var keepsHistory = true

    package private(set) var prompt = "> "
    private var greeting = ""
    package private(set) var environment = ""
    /// The host's reason for ending the connection; nil while it has not ended.
    package private(set) var end: ShellError?

    package init(
        _ description: FrontEndDescription, to client: HostClient, in folder: DataFolder,
        _ options: JSONObject = [:]
    ) {
        self.description = description
        self.client = client
        self.folder = folder
        self.options = options
        prepare(client)
    }

    private func prepare(_ client: HostClient) {
        client.receive = { [weak self] in self?.receive($0, $1) }
        client.answer = { [weak self] in try await self?.answer($0, $1) ?? [:] }
        client.didEnd = { [weak self] in self?.hostDidEnd() }
    }

    /// Asks the host for a scene.
    ///
    /// - Throws: ``ShellError`` with the host's reason if it refuses.
    /// - Returns: The link of its current screen, and how the host's previous process ended, if unexpectedly.
    @discardableResult
    package func hello() async throws -> (link: String, crash: ShellError?) {
        let welcome = try await request("hello", description.hello(options))
        description.resumes = description.scene == nil || description.resumes
        description.scene = welcome.text("scene")
        environment = welcome["host"].text("environment") ?? ""
        prompt = welcome.text("prompt") ?? prompt
        greeting = welcome.text("greeting") ?? ""
        let notice = welcome["host"]["crash"]
        let crash = notice.text("message").map {
            ShellError("crashed", $0, hint: notice.text("hint"), category: .module)
        }
        return (welcome.text("link") ?? "", crash)
    }

    package func begin(_ greet: (String) throws -> Void) async throws {
        try begin("Attached to process \(client.process) as scene '\(description.scene ?? "")'. ", greet)
    }

    /// Begins with other words before the host's greeting.
    package func begin(_ words: String, _ greet: (String) throws -> Void) throws {
        reconnects = description.isPerson
        try greet(words + greeting)
    }

    private func request(_ method: String, _ parameters: JSONObject = [:]) async throws -> RPCParameters {
        do {
            return try await client.request(method, parameters)
        } catch let error as RPCError {
            throw ShellError(error)
        }
    }

    // MARK: - Messages from the host

    private func receive(_ method: String, _ parameters: RPCParameters) {
        let text = parameters.text("text") ?? ""
        switch method {
        case "output":
            if let number = parameters.number("target") { return targets.write(text, to: number) }
            switch parameters.text("stream") {
            case "error": frontEnd?.receive(.error(text))
            case "screen": frontEnd?.receive(.screen(text))
            default: frontEnd?.receive(.output(text))
            }
        case "above":
            if let shown = parameters.text("prompt"), !shown.isEmpty { prompt = shown }
            frontEnd?.receive(.above(text, prompt: prompt))
        case "history" where keepsHistory: frontEnd?.receive(.history(parameters.text("line")))
        case "echo": frontEnd?.receive(.echo(parameters.flag("on")))
        default: break
        }
    }

    private func answer(_ method: String, _ parameters: RPCParameters) async throws -> JSONObject {
        guard let frontEnd else { throw CancellationError() }
        switch method {
        case "secret":
            return ["value": .string(try await frontEnd.secret(parameters.text("name") ?? "secret"))]
        case "environment":
            guard let name = parameters.text("name") else { throw CancellationError() }
            let value = try await frontEnd.environment(name)
            return ["value": value.map { .string($0) } ?? .null]
        // All earlier output has been written; otherwise the host knows.
        case "written": return [:]
        case "input":
            guard description.givesInput else { throw CancellationError() }
            let bytes = try await frontEnd.input()
            return ["data": .string(Data(bytes ?? []).base64EncodedString()), "end": .bool(bytes == nil)]
        default: return try await targets.answer(method, parameters)
        }
    }

    // MARK: - Lines

    package func run(_ line: InputLine, keepsHistory: Bool = true) async throws -> LineResult {
        switch line {
        case .success(let text):
            self.keepsHistory = keepsHistory
            defer { self.keepsHistory = true }
            return try await runs("run", ["line": .string(text)]) ?? LineResult()
        case .failure(let error):
            return LineResult(status: Report.failure(error, isJSON: description.isJSON))
        }
    }

    package func leaveQuestion() async throws -> LineResult? { try await runs("interrupt", [:]) }

    /// Runs a request that answers with the outcome of a line; nil if none was run.
    private func runs(_ method: String, _ parameters: JSONObject) async throws -> LineResult? {
        frontEnd?.receive(.began)
        try await hostReturns()
        do {
            let result = try await client.request(method, parameters)
            prompt = result.text("prompt") ?? prompt
            if method == "interrupt", !result.flag("answered") { return nil }
            let status = result.number("status").flatMap { Int32(exactly: $0) }
                .flatMap { ExitStatus(rawValue: $0) }
            let isDeferred = result.flag("deferred")
            return LineResult(
                status: isDeferred ? .done : status ?? .failed, ends: result.flag("ends"),
                exits: result.flag("exits"), isDeferred: isDeferred,
                hasReportedUnwritten: result.flag("unwritten"))
        } catch let error as RPCError {
            guard reconnects else { throw ShellError(error) }
            Report.warning(ShellError(error))
        } catch let error as ShellError where error.isEndOfHost && end == nil && reconnects {
            Report.warning(error)
            try await hostReturns()
        }
        return LineResult(status: .failed)
    }

    package nonisolated func cancel() {
        Task { @MainActor in
            reconnection?.cancel()
            client.cancel()
        }
    }

    package nonisolated func abandon() {
        Task { @MainActor in
            reconnection?.cancel()
            client.notify("cancel", ["abandon": true])
        }
    }

    package func cancel(because error: ShellError) {
        client.notify("cancel", ["all": true, "unwritten": .object(RPCError(error).json)])
    }

    package func settle() throws {}

    /// Waits for everything that the host has sent so far.
    package func catchUp() async throws { _ = try await request("complete", ["line": ""]) }

    package func completions(of line: String, at cursor: Int) -> CompletionList {
        // The host does not know this process's environment.
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
        if let list = environmentVariables(typing: typed) { return list }
        let parameters: JSONObject = ["line": .string(line), "cursor": .integer(Int64(cursor))]
        let answer = client.wait(for: "complete", parameters, timeout: .milliseconds(1_500))
        guard let answer, let start = answer.number("start") else {
            return CompletionList(start: cursor, candidates: [])
        }
        return CompletionList(
            start: min(max(0, start), cursor),
            candidates: answer["candidates"].items.map {
                CompletionCandidate(
                    text: $0.text("text") ?? "", summary: $0.text("summary"), isFinal: $0.flag("final"))
            })
    }

    private func environmentVariables(typing text: String) -> CompletionList? {
        guard let word = text.split(whereSeparator: \.isWhitespace).last, text.hasSuffix(word),
            let start = word.firstRange(of: "@env:")?.lowerBound
        else { return nil }
        let typed = word[start...]
        return CompletionList(
            start: text.utf8.count - typed.utf8.count,
            candidates: Completer.environmentVariables.filter { $0.text.hasPrefix(typed) })
    }

    package func resize(to size: TerminalSize, promptRows: Int, redraws: Bool) {
        var parameters = size.json
        parameters["promptRows"] = .integer(Int64(promptRows))
        parameters["redraw"] = .bool(redraws)
        client.notify("resize", parameters)
    }

    package func close() async throws -> ExitStatus {
        client.didEnd = {}
        let status = try await request("close").number("status").flatMap { Int32(exactly: $0) }
        return status.flatMap { ExitStatus(rawValue: $0) } ?? .failed
    }

    // MARK: - The end of the host

    /// The time limit for a crashed host to return.
    private static let patience = Duration.seconds(30)

    /// Handles the end of the connection: ends if the host gave a reason, else waits until it returns.
    private func hostDidEnd() {
        let restarts = client.hostRestarts && reconnects
        end = restarts ? nil : client.reason.map { ShellError.hostGone($0) }
        guard end == nil, reconnects else { return frontEnd?.receive(.end) ?? () }
        frontEnd?.receive(
            .lost(
                (restarts ? "The host restarts." : "The host ended unexpectedly.")
                    + " Waiting for it to restart; press Ctrl-C to quit."))
        // Programs may take a while to exit.
        Task { [targets] in await targets.closeAll() }
        reconnection = Task { await self.reconnect() }
    }

    /// Enters the scene that was lost with the host.
    private func reconnect() async -> Bool {
        let limit = ContinuousClock.now + Self.patience
        while .now < limit, !Task.isCancelled {
            if let next = try? HostClient(to: folder) {
                client = next
                prepare(next)
                // A dying host may still accept.
                next.didEnd = {}
                if let (link, crash) = try? await hello(), !next.hasEnded {
                    next.didEnd = { [weak self] in self?.hostDidEnd() }
                    reconnection = nil
                    let text = "The host is back as process \(next.process); this is '\(link)'."
                    frontEnd?.receive(.restored(text, crash: crash))
                    return true
                }
                next.close()
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        end = .hostGone("The host has not come back.")
        frontEnd?.receive(.end)
        return false
    }

    /// Waits for a crashed host, until it is cancelled or its time is over.
    private func hostReturns() async throws {
        guard let reconnection else { return }
        guard await reconnection.value else { throw end ?? .hostGone(nil) }
    }
}
