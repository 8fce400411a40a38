package import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
package import AtriumNavigation
package import AtriumSession
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// A client of the host, and its scene; Docs/protocol.md describes their messages.
@MainActor
package final class ServedScene {
    package let stream: LineStream<RPCMessage>
    private let server: SceneServer
    private(set) var scene: Scene?
    private(set) var client: SceneClient?
    private var session: LocalSession?
    private var frontEnd: ServedFrontEnd?
    /// Replaces the session for a client that speaks another protocol.
    private var guest: (any GuestSession)?
    /// The lines queued after the running one; nil is a Ctrl-C at the prompt.
    private var lines: [(id: RPCID, text: String?)] = []
    private var running: Running?
    /// The wait for background commands before the end.
    private var closing: Task<Void, Never>?
    private let beganAt = ContinuousClock.now
    private var hasEnded = false
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    /// True if the stack is kept only for a restart of the host: the scene was not named.
    private var forgetsStack = false

    private struct Running {
        let id: RPCID
        var task: Task<Void, Never>?
        var isAnswered = false
    }

    init(_ stream: LineStream<RPCMessage>, of server: SceneServer) {
        self.stream = stream
        self.server = server
    }

    private var host: ShellHost { server.host }

    private var isPerson: Bool { client?.isPerson == true }

    var isScript: Bool { client?.isPerson == false }

    /// Reads the client's messages; returns false if the system has no thread for that.
    func start() -> Bool {
        stream.read {
            RPCMessage(line: $0)
        } receive: { [weak self, stream] message in
            self?.receive(message)
            stream.didHandle()
        } didEnd: { [weak self] reason in
            guard reason == .lineTooLong else { return self?.inputDidEnd() ?? () }
            self?.drop("A message is longer than \(LineStream<RPCMessage>.lineLimit) bytes.")
        }
    }

    // MARK: - Messages

    private func receive(_ message: RPCMessage) {
        guard !hasEnded else { return }
        if let guest { return guest.receive(message) }
        switch message {
        case .invalid(let id, let error): stream.send(RPCMessage.failure(id, error))
        case .refusal: break
        case .response(let id, let result): frontEnd?.take(result, of: id)
        case .notification(let method, let parameters): _ = try? handle(method, parameters, id: nil)
        case .request(let id, let method, let parameters):
            do throws(RPCError) {
                if let result = try handle(method, parameters, id: id) {
                    stream.send(RPCMessage.result(id, result))
                }
            } catch {
                stream.send(RPCMessage.failure(id, error))
            }
        }
    }

    /// Handles a request; returns nil if it is answered later.
    private func handle(
        _ method: String, _ parameters: RPCParameters, id: RPCID?
    ) throws(RPCError) -> JSONObject? {
        if method == "hello" { return try hello(parameters) }
        guard let session else { throw .invalidRequest("The first request must be 'hello'.") }
        switch method {
        case "run":
            guard let id else { return nil }
            try add(try line(of: parameters, for: method), id)
        case "complete":
            let line = try line(of: parameters, for: method)
            let cursor = min(max(0, parameters.number("cursor") ?? line.utf8.count), line.utf8.count)
            guard let id else { return nil }
            // Swift code takes a moment.
            Task.immediate { [stream] in
                stream.send(
                    RPCMessage.result(id, await session.completions(of: line, at: cursor).json))
            }
            return nil
        case "interrupt":
            // Ctrl-C at the prompt leaves a question.
            guard session.hasQuestion, let id else {
                return ["answered": false, "prompt": .string(session.prompt)]
            }
            lines.append((id, nil))
            runNext()
        case "cancel":
            if parameters.flag("all") { refuseLines(with: ShellError.explain(CancellationError())) }
            if let error = parameters["unwritten"].json { frontEnd?.unwritten = ShellError(RPCError(error)) }
            // A user's line ends in its own time; a script's runs in the task.
            if isPerson { session.cancel() } else { running?.task?.cancel() }
            closing?.cancel()
            if parameters.flag("abandon") { session.abandon() }
            return [:]
        case "resize":
            guard frontEnd?.size != nil, let size = TerminalSize(parameters) else {
                throw .invalidParameters("'resize' needs 'columns' and 'rows', of a client with a terminal.")
            }
            frontEnd?.size = size
            session.resize(
                to: size, promptRows: max(0, min(size.rows, parameters.number("promptRows") ?? 0)),
                redraws: parameters.flag("redraw"))
            return [:]
        case "close": closing = Task.immediate { await close(answering: id) }
        default: throw .unknownMethod(method)
        }
        return nil
    }

    private func close(answering id: RPCID?) async {
        guard !hasEnded, let session else { return }
        if isScript { await session.runner.settleBackground() }
        let status = running == nil ? (try? await session.close()) ?? .failed : .done
        guard !hasEnded else { return }
        if let id { stream.send(RPCMessage.result(id, ["status": .integer(Int64(status.rawValue))])) }
        end()
    }

    /// The most lines that may be queued.
    private static let linesLimit = 64

    private func line(of parameters: RPCParameters, for method: String) throws(RPCError) -> String {
        guard let line = parameters.text("line") else {
            throw .invalidParameters("'\(method)' needs 'line', a string.")
        }
        guard line.utf8.count <= LineSplitter.limit else { throw RPCError(ShellError.tooLong("The line")) }
        return line
    }

    // MARK: - The scene

    private func hello(_ parameters: RPCParameters) throws(RPCError) -> JSONObject {
        try check(parameters)
        let description = FrontEndDescription(parameters)
        if parameters["mode"].json != nil {
            guard let beginGuest = parameters.text("mode").flatMap({ server.modes[$0] }) else {
                throw .invalidParameters("The host has no such 'mode'.")
            }
            guard server.identity.kind != .script else { throw .hostIsScript }
            guest = try beginGuest(self, parameters)
            return [
                "protocol": .integer(Int64(HostIdentity.protocolVersion)),
                "scene": scene.map { .string($0.name) } ?? .null,
            ]
        }
        guard !description.isPerson || server.identity.kind != .script else { throw .hostIsScript }
        let name = try sceneName(description)
        let keepsScene = description.scene != nil || description.isPerson
        var problems: [any ExplainedError] = []
        var state = NavigationState()
        do throws(StorageError) {
            if keepsScene { state = try server.restore(name) { problems.append($0) } }
        } catch {
            throw RPCError(error)
        }
        let scene = begin(name, state, description)
        forgetsStack = keepsScene && (description.scene == nil || description.resumes)
        let frontEnd = ServedFrontEnd(description, over: stream)
        let session = LocalSession(
            scene, description, writingTo: frontEnd.streams, viewport: frontEnd.viewport(of: scene),
            keepsScene: keepsScene)
        session.frontEnd = frontEnd
        self.frontEnd = frontEnd
        self.session = session
        session.runner.warn(problems)
        scene.coordinator.leaveQuestions()
        return welcome(session)
    }

    /// Begins the scene of the client, or of its guest.
    package func begin(_ name: String, _ state: NavigationState, _ description: FrontEndDescription) -> Scene
    {
        let client = SceneClient(
            name: description.name ?? "a client", process: HostSocket.peer(of: stream.descriptor)?.pid ?? 0,
            isPerson: description.isPerson)
        let scene = host.beginScene(name, state: state)
        scene.client = client
        scene.folder = description.folder
        self.client = client
        self.scene = scene
        return scene
    }

    private func welcome(_ session: LocalSession) -> JSONObject {
        [
            "protocol": .integer(Int64(HostIdentity.protocolVersion)), "host": .object(server.identity.json),
            "scene": .string(session.scene.name), "link": .string(session.scene.currentLink),
            "greeting": .string(session.greeting), "prompt": .string(session.prompt),
        ]
    }

    /// Checks that the client and the host speak the same protocol, and that this is the wanted host.
    private func check(_ parameters: RPCParameters) throws(RPCError) {
        guard scene == nil else { throw .invalidRequest("'hello' was said already.") }
        let version = parameters.number("protocol")
        guard version == HostIdentity.protocolVersion else {
            let wanted = version.map(String.init) ?? "no"
            throw RPCError(
                ShellError(
                    "protocolVersion",
                    "The client speaks version \(wanted) of the protocol, and this host "
                        + "(Atrium \(HostVersion.current)) version \(HostIdentity.protocolVersion).",
                    hint: "Use the client of the host's version, or restart the host with the client's."))
        }
        let differences = server.identity.differences(from: parameters["options"])
        guard differences.isEmpty else {
            throw RPCError(
                ShellError(
                    "otherHost",
                    "The host that runs (process \(getpid())) was started with other options: "
                        + differences.joined(separator: ", ") + ".",
                    hint: "Leave them out, use --data DIR for another host, or end the one that runs.",
                    category: .usage))
        }
    }

    private func inputDidEnd() {
        guard let guest, !stream.isHungUp else { return close() }
        guest.inputDidEnd()
    }

    private func sceneName(_ description: FrontEndDescription) throws(RPCError) -> String {
        guard let wanted = description.scene else {
            return server.freeName(description.isPerson ? "terminal" : "script")
        }
        do throws(ShellError) {
            let name = try SceneName(wanted).text
            guard let other = host.scenes.first(where: { $0.name == name }) else { return name }
            let holder = other.client.map { "\($0.name), process \($0.process)" } ?? "the host's own terminal"
            throw ShellError(
                "sceneInUse", "Scene '\(name)' is in use by \(holder).",
                hint: "Choose another name, or leave it there first; 'scenes' lists them.")
        } catch {
            throw RPCError(error)
        }
    }

    // MARK: - Lines

    private func add(_ line: String, _ id: RPCID) throws(RPCError) {
        guard !server.isEnding else { throw RPCError(ShellError.hostEnds) }
        // The client has written all its output, or has reported that it can't.
        if running == nil { frontEnd?.mayBeUnwritten = false }
        guard lines.count < Self.linesLimit else {
            throw RPCError(
                ShellError(
                    "tooManyLines", "\(Self.linesLimit) lines wait already.",
                    hint: "Send the next when one has been answered."))
        }
        lines.append((id, line))
        runNext()
    }

    private func runNext() {
        guard running == nil, !lines.isEmpty, let session else { return }
        let (id, line) = lines.removeFirst()
        running = Running(id: id)
        // In this turn: most commands of scripts end before they suspend.
        let task = Task.immediate { [weak self] in
            var result = LineResult(status: .failed)
            do {
                result =
                    if let line { try await session.run(.success(line)) } else {
                        try await session.leaveQuestion() ?? LineResult()
                    }
            } catch {
                result.status = session.runner.failure(error)
            }
            self?.didRun(id, result)
        }
        if running?.id == id { running?.task = task }
    }

    private func didRun(_ id: RPCID, _ result: LineResult) {
        guard let line = running, line.id == id else { return }
        running = nil
        guard !hasEnded, let session else { return }
        // Save state kept under a name before acknowledging the line.
        try? session.settle()
        defer { runNext() }
        guard !line.isAnswered else { return }
        stream.send(
            RPCMessage.result(
                id,
                [
                    "status": .integer(Int64((result.isDeferred ? .refused : result.status).rawValue)),
                    "ends": .bool(result.ends), "deferred": .bool(result.isDeferred),
                    "answered": true, "unwritten": .bool(frontEnd?.hasReportedUnwritten == true),
                    "exits": .bool(result.exits), "prompt": .string(session.prompt),
                ]))
    }

    // MARK: - The end

    /// True if one of the client's lines or calls is running.
    var isBusy: Bool { !hasEnded && (guest?.isBusy ?? (running != nil)) }

    /// Answers the queued lines with an error.
    private func refuseLines(with error: any ExplainedError) {
        for line in lines { stream.send(RPCMessage.failure(line.id, RPCError(error))) }
        lines = []
    }

    /// Runs no further command: the queued lines are answered with an error.
    func stopRunning() {
        session?.stop()
        refuseLines(with: ShellError.hostEnds)
        if guest?.isBusy == true { guest?.endWhenAnswered() }
    }

    /// Answers the running line with an unknown outcome.
    func giveUp() {
        if let running { stream.send(RPCMessage.failure(running.id, RPCError(ShellError.endedMeanwhile))) }
        running?.isAnswered = true
        guest?.giveUp(RPCError(ShellError.endedMeanwhile))
    }

    /// Ends the connection, after the reason if the client is to know it; `startsAgain` keeps its stack.
    package func end(because reason: String? = nil, startsAgain: Bool = false) {
        if startsAgain { forgetsStack = false }
        if let reason {
            stream.send(
                RPCMessage.notification("end", ["reason": .string(reason), "restarts": .bool(startsAgain)]))
        }
        stream.closeWhenSent()
        close()
    }

    private func drop(_ reason: String) {
        logDrop(reason)
        stream.send(RPCMessage.failure(nil, .invalidRequest(reason)))
        // Standard error and the exit code of 'atrium mcp' follow it.
        end(because: guest == nil ? nil : reason)
    }

    /// The time limit for a client to accept some of its pending output.
    private static let patience = Duration.seconds(30)
    /// The most bytes that may wait for a client; the output of a command waits as a whole.
    private static let backlogLimit = 256 << 20

    /// Disconnects idle clients and clients that do not read.
    func dropIfDead() {
        if scene == nil, beganAt.duration(to: .now) > server.helloLimit {
            return drop("No 'hello' came within \(server.helloLimit.words).")
        }
        guard let stalled = stream.stalled else { return }
        if stalled > Self.patience { return dropUnheard("It has read nothing for \(Self.patience.words).") }
        if stream.unsentCount > Self.backlogLimit {
            dropUnheard("More than \(Self.backlogLimit >> 20) MB wait for it.")
        }
    }

    /// Disconnects without sending a reason.
    private func dropUnheard(_ reason: String) {
        logDrop(reason)
        stream.close()
        close()
    }

    private func logDrop(_ reason: String) {
        let process = client?.process ?? HostSocket.peer(of: stream.descriptor)?.pid ?? 0
        server.log("\(client?.name ?? "A client"), process \(process), was dropped: \(reason)")
    }

    /// Waits until the client has left.
    func ended() async {
        guard !hasEnded else { return }
        await withCheckedContinuation { waitingForEnd.append($0) }
    }

    /// Ends the scene, and cancels what runs in it.
    private func close() {
        guard !hasEnded else { return }
        running?.task?.cancel()
        guest?.close()
        lines = []
        session?.runner.keepState()
        hasEnded = true
        frontEnd?.close()
        if let scene {
            host.end(scene)
            if forgetsStack { server.forget(scene.name) }
        }
        server.didEnd(self)
        for continuation in waitingForEnd { continuation.resume() }
        waitingForEnd = []
    }
}

/// A session in another protocol, which a client asked for in `hello`.
@MainActor
package protocol GuestSession: AnyObject {
    /// True if a request is being answered.
    var isBusy: Bool { get }
    func receive(_ message: RPCMessage)
    /// Ends once the running requests are answered.
    func endWhenAnswered()
    /// Called at the end of input: running requests finish; no more requests or answers can arrive.
    func inputDidEnd()
    /// Answers running requests with an error.
    func giveUp(_ error: RPCError)
    /// Ends at once, and cancels what runs.
    func close()
}

extension RPCError {
    fileprivate static let hostIsScript = RPCError(
        ShellError("hostIsScript", "The host that runs is a script, with which it ends."))
}

extension CompletionList {
    fileprivate var json: JSONObject {
        [
            "start": .integer(Int64(start)),
            "candidates": .array(
                candidates.map {
                    .object([
                        "text": .string($0.text), "summary": $0.summary.map { .string($0) } ?? .null,
                        "final": .bool($0.isFinal),
                    ])
                }),
        ]
    }
}
