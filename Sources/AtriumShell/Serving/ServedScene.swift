@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumNavigation
internal import AtriumRuntime
internal import AtriumStorage
internal import AtriumText
internal import FoundationEssentials
internal import Glibc

/// A client of the host, and its scene; Docs/protocol.md describes their messages.
@MainActor
final class ServedScene {
    private let stream: LineStream<RPCMessage>
    private unowned let server: SceneServer
    private(set) var scene: Scene?
    private(set) var client: SceneClient?
    private var runner: LineRunner?
    /// Replaces the line runner for a client of the Model Context Protocol.
    private var mcp: MCPSession?
    /// The lines queued after the running one.
    private var lines: [(id: RPCID, text: String)] = []
    private var running: Task<Void, Never>?
    /// Ends the wait for the running line.
    private var abandon: (() -> Void)?
    /// Answers the running line with an error; its end is then no longer reported.
    private var giveUpLine: ((ShellError) -> Void)?
    private var asked: [RPCID: CheckedContinuation<RPCParameters, any Error>] = [:]
    private var questions: Int64 = 0
    /// The number of the client's files and programs opened so far.
    private var targets: Int64 = 0
    private let beganAt = ContinuousClock.now
    private var hasEnded = false
    private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    private var shownPrompt = ""
    /// True if the client acknowledges that it has written its output.
    private var acknowledges = false
    /// True if it was sent output since its last acknowledgement.
    private var mayBeUnwritten = false
    /// Why the client can't write output any more.
    private var unwritten: ShellError?
    /// True if a command has reported that.
    private var isUnwrittenTold = false
    /// True if the stack is kept only for a restart of the host: the scene was not named.
    private var forgetsStack = false
    private var keepsStack = false

    init(_ stream: LineStream<RPCMessage>, of server: SceneServer) {
        self.stream = stream
        self.server = server
    }

    private var host: ShellHost { server.host }

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
        if let mcp { return mcp.receive(message) }
        switch message {
        case .invalid(let id, let error): stream.send(RPCMessage.failure(id, error))
        case .refusal: break
        case .response(let id, let result):
            guard let continuation = asked.removeValue(forKey: id) else { return }
            continuation.resume(with: result.mapError { $0 })
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
        guard let runner, let scene else {
            throw .invalidRequest("The first request must be 'hello'.")
        }
        switch method {
        case "run":
            if let id { try queue(line(of: parameters, for: method), id) }
            return nil
        case "complete":
            let line = try line(of: parameters, for: method)
            let cursor = min(max(0, parameters.number("cursor") ?? line.utf8.count), line.utf8.count)
            return Completer(interpreter: runner.interpreter).completions(of: line, at: cursor).json
        case "interrupt":
            // Ctrl-C at the prompt leaves a question.
            guard scene.coordinator.currentEntry?.isOfHost == true, let id else {
                return ["answered": false, "prompt": .string(runner.prompt)]
            }
            lines.append((id, "back"))
            runNext()
            return nil
        case "cancel":
            if parameters.flag("all") { lines = [] }
            if let error = parameters["unwritten"].json { unwritten = ShellError(RPCError(error)) }
            running?.cancel()
            if parameters.flag("abandon") { abandon?() }
            return [:]
        case "resize":
            guard client?.size != nil, let size = Self.size(parameters) else {
                throw .invalidParameters("'resize' needs 'columns' and 'rows', of a client with a terminal.")
            }
            client?.size = size
            runner.viewport.sizeMayHaveChanged()
            runner.viewport.promptTakes(max(0, min(size.rows, parameters.number("promptRows") ?? 0)))
            if parameters.flag("redraw") { scene.display.processDidContinue() }
            return [:]
        case "close":
            guard client?.isPerson == false, !scene.display.jobs.inBackground.isEmpty else {
                end(answering: id)
                return nil
            }
            // A script's background commands finish before it ends.
            Task { [weak self] in
                await runner.settleBackground()
                self?.end(answering: id)
            }
            return nil
        default: throw .unknownMethod(method)
        }
    }

    private func queue(_ line: String, _ id: RPCID) throws(RPCError) {
        guard !server.isEnding else { throw RPCError(ShellError.hostEnds) }
        // The client has written all its output, or has reported that it can't.
        if running == nil { mayBeUnwritten = false }
        guard lines.count < Self.linesLimit else {
            throw RPCError(
                ShellError(
                    "tooManyLines", "\(Self.linesLimit) lines wait already.",
                    hint: "Send the next when one has been answered."))
        }
        lines.append((id, line))
        runNext()
    }

    private func end(answering id: RPCID?) {
        guard !hasEnded, let runner else { return }
        let status = running == nil ? (try? runner.end(with: .done)) ?? .failed : .done
        if let id { stream.send(RPCMessage.result(id, ["status": .integer(Int64(status.rawValue))])) }
        stream.closeWhenSent()
        close()
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

    private static func size(_ parameters: RPCParameters) -> TerminalSize? {
        guard let columns = parameters.number("columns"), let rows = parameters.number("rows"),
            (1...10_000).contains(columns), (1...10_000).contains(rows)
        else { return nil }
        return TerminalSize(columns: columns, rows: rows)
    }

    // MARK: - The scene

    private func hello(_ parameters: RPCParameters) throws(RPCError) -> JSONObject {
        try check(parameters)
        if parameters.text("mode") == "mcp" { return try beginMCP(parameters) }
        let isPerson = parameters.flag("person")
        guard !isPerson || server.identity.kind != .script else {
            throw .hostIsScript
        }
        let name = try sceneName(parameters.text("scene"), isPerson)
        let client = SceneClient(
            name: parameters.text("client").map { String($0.printableLine.prefix(80)) } ?? "a client",
            process: HostSocket.peer(of: stream.descriptor)?.pid ?? 0, isPerson: isPerson,
            size: Self.size(parameters))
        let isNamed = parameters.text("scene") != nil
        keepsStack = isNamed || isPerson
        var problems: [any ExplainedError] = []
        var state = NavigationState()
        do throws(StorageError) {
            if keepsStack { state = try server.restore(name) { problems.append($0) } }
        } catch {
            throw RPCError(error)
        }
        self.client = client
        let scene = host.beginScene(name, state: state)
        scene.client = client
        acknowledges = parameters.flag("acknowledges")
        forgetsStack = keepsStack && (!isNamed || parameters.flag("resumes"))
        scene.folder = parameters.text("folder").flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.scene = scene
        let runner = LineRunner(
            scene, frontEnd(parameters, isPerson), viewport: viewport(parameters, scene))
        self.runner = runner
        if parameters.flag("input") {
            scene.readInput = { [weak self] in
                let answer = try await self?.askOrCancel("input", [:])
                guard let answer, !answer.flag("end") else { return nil }
                return answer.text("data").flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } ?? []
            }
        }
        connect(scene, runner, isPerson)
        runner.warn(problems)
        scene.coordinator.leaveQuestions()
        shownPrompt = runner.prompt
        return [
            "protocol": .integer(Int64(HostIdentity.protocolVersion)), "host": .object(server.identity.json),
            "scene": .string(name), "link": .string(scene.currentLink), "greeting": .string(runner.greeting),
            "prompt": .string(shownPrompt),
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

    /// Begins a session of the Model Context Protocol, to which all further messages belong.
    private func beginMCP(_ parameters: RPCParameters) throws(RPCError) -> JSONObject {
        let allowed = parameters.text("allow") ?? Permission.reads.rawValue
        guard let permission = Permission(rawValue: allowed) else {
            throw .invalidParameters("'allow' must be reads, changes or destroys.")
        }
        guard server.identity.kind != .script else { throw .hostIsScript }
        let scene = host.beginScene(server.freeName("mcp"))
        let client = SceneClient(
            name: "a client of MCP", process: HostSocket.peer(of: stream.descriptor)?.pid ?? 0,
            isPerson: false, size: nil)
        self.client = client
        scene.client = client
        scene.folder = parameters.text("folder").flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.scene = scene
        mcp = MCPSession(
            scene, permission: permission, send: { [stream] in stream.send($0) },
            drained: { [stream] in await stream.drained() },
            didEnd: { [weak self] in
                guard let self else { return }
                if server.isEnding { notify("end", ["reason": .string(SceneServer.endReason)]) }
                stream.closeWhenSent()
                close()
            })
        return ["protocol": .integer(Int64(HostIdentity.protocolVersion)), "scene": .string(scene.name)]
    }

    private func inputDidEnd() {
        guard let mcp else { return close() }
        mcp.inputDidEnd()
    }

    private func sceneName(_ wanted: String?, _ isPerson: Bool) throws(RPCError) -> String {
        guard let wanted else { return server.freeName(isPerson ? "terminal" : "script") }
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

    private func frontEnd(_ parameters: RPCParameters, _ isPerson: Bool) -> FrontEnd {
        let isJSON = parameters.flag("json")
        let isTerminal = parameters.flag("terminal") && client?.size != nil
        var errorWidth: (@MainActor () -> Int)?
        if let columns = parameters.number("errorColumns").map({ max(20, min(10_000, $0)) }) {
            errorWidth = { [weak self] in
                guard let client = self?.client, client.isPerson else { return columns }
                return client.size?.columns ?? columns
            }
        }
        return FrontEnd(
            output: outputStream("output"), errors: outputStream("error"), isJSON: isJSON,
            keepsGoing: parameters.flag("keepGoing"), answersYes: parameters.flag("yes"),
            isPerson: isPerson, isTerminal: isTerminal,
            errorWidth: errorWidth,
            style: TextStyle(isColored: parameters.flag("color") && !isJSON),
            errorStyle: TextStyle(isColored: parameters.flag("errorColor") && !isJSON),
            drawsPictures: isTerminal && parameters.flag("pictures"), usesPager: parameters.flag("pager"))
    }

    private func viewport(_ parameters: RPCParameters, _ scene: Scene) -> ViewportFeed {
        let option = parameters.flag("sizeIsFixed") ? client?.size : nil
        return ViewportFeed(
            scene.viewport, option: option,
            measure: { [weak self] in MainActor.assumeIsolated { self?.client?.size } })
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

    /// Waits until the client has written all output; without acknowledgements, until it was sent.
    private func arrived(_ output: OutputStream) async throws {
        if acknowledges { try output.flush() }
        if acknowledges, mayBeUnwritten {
            mayBeUnwritten = false
            do {
                _ = try await ask("written", [:])
            } catch let error where unwritten == nil {
                throw (error as? RPCError).map { ShellError($0) } ?? error
            } catch {}
        }
        guard let unwritten else { return }
        isUnwrittenTold = true
        throw unwritten
    }

    /// Sends text in messages of limited length.
    private func send(_ text: String, to name: String, _ more: JSONObject = [:]) {
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

    private func connect(_ scene: Scene, _ runner: LineRunner, _ isPerson: Bool) {
        scene.display.write = { [output = runner.output] in try output.write($0) }
        scene.display.flush = { [output = runner.output] in try output.flush() }
        scene.display.arrived = { [weak self, output = runner.output] in try await self?.arrived(output) }
        scene.display.drawPictures { [weak self] text in self?.send(text, to: "screen") }
        scene.display.keyboard = RemoteKeyboard { [weak self] isOn in
            self?.notify("echo", ["on": .bool(isOn)])
        }
        scene.outputDrained = { [stream, output = runner.output] in
            try? output.flush()
            await stream.drained()
        }
        scene.environment = { [weak self] name in
            try await self?.askOrCancel("environment", ["name": .string(name)]).text("value")
        }
        scene.open = { [weak self] destination in
            guard let self else { throw CancellationError() }
            return try await open(destination)
        }
        guard isPerson else { return }
        runner.printer.room = { [weak runner] in
            runner.flatMap { $0.viewport.room(above: $0.prompt) }
        }
        scene.announce = { [weak self, weak runner, display = scene.display] line in
            guard let runner else { return }
            try? runner.output.flush()
            let lines = TextWrapper(width: runner.viewport.columns, indent: 2).lines(of: line.printableLine)
            display.above { self?.above(lines.joined(separator: "\n")) }
        }
        scene.showOutput = { [weak self, weak runner, display = scene.display] output in
            guard let runner else { return }
            try? runner.output.flush()
            let text = runner.printer.text(of: output)
            display.above { self?.above(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        }
        scene.display.isAsking = { [weak self] in self?.asked.isEmpty == false }
        runner.interpreter.askSecret = { [weak self, display = scene.display] name in
            display.restartProgress()
            defer { display.restartProgress() }
            try display.flush()
            guard let answer = try await self?.askOrCancel("secret", ["name": .string(name)]).text("value")
            else { throw CancellationError() }
            return answer
        }
    }

    /// Opens a file or program of the client to receive results.
    private func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        targets += 1
        let target = RemoteTarget(
            targets,
            send: { [weak self] text, number in
                guard let self, !hasEnded else { return EPIPE }
                send(text, to: "target", ["target": .integer(number)])
                return nil
            }, drained: { [stream] in await stream.drained() },
            ask: { [weak self] method, parameters in
                guard let self else { throw CancellationError() }
                do {
                    return try await ask(method, parameters)
                } catch let error as RPCError {
                    throw ShellError(error)
                }
            })
        try await target.open(destination)
        return target
    }

    private func above(_ text: String) {
        guard !text.isEmpty else { return }
        notify("above", ["text": .string(text + "\n"), "prompt": .string(runner?.prompt ?? "")])
    }

    /// Sends the client a request, which it may refuse.
    private func ask(_ method: String, _ parameters: JSONObject) async throws -> RPCParameters {
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

    // MARK: - Lines

    private func runNext() {
        guard running == nil, !lines.isEmpty, let runner else { return }
        let (id, line) = lines.removeFirst()
        let commands = runner.commands(in: .success(line))
        if client?.isPerson == true {
            let kept = runner.history(of: line, commands)
            notify("history", ["line": kept.map { .string($0) } ?? .null])
        }
        var isAnswered = false
        let answer: (LineRunner.Outcome) -> Void = { [weak self] outcome in
            guard !isAnswered else { return }
            isAnswered = true
            self?.didRun(id, outcome)
        }
        giveUpLine = { [weak self] error in
            guard !isAnswered else { return }
            isAnswered = true
            self?.stream.send(RPCMessage.failure(id, RPCError(error)))
        }
        abandon = { [weak self] in
            answer(LineRunner.Outcome(status: .cancelled))
            self?.runNext()
        }
        // In this turn: most commands end before they suspend.
        let task = Task.immediate { [weak self, stream] in
            var outcome = LineRunner.Outcome(status: .failed)
            do {
                outcome = try await runner.run(commands, of: line)
            } catch {
                outcome.status = runner.failure(error)
            }
            await stream.drained()
            runner.scene.display.endProgress()
            answer(outcome)
            self?.runNext()
        }
        if !isAnswered { running = task }
    }

    private func didRun(_ id: RPCID, _ outcome: LineRunner.Outcome) {
        running = nil
        abandon = nil
        guard !hasEnded, let runner else { return }
        // Save state kept under a name before acknowledging the line.
        runner.keepState(isUrgent: client?.isPerson == true || keepsStack)
        try? runner.output.flush()
        shownPrompt = runner.prompt
        stream.send(
            RPCMessage.result(
                id,
                [
                    "status": .integer(Int64(outcome.status.rawValue)), "ends": .bool(outcome.ends),
                    "answered": true, "unwritten": .bool(isUnwrittenTold),
                    "exits": .bool(runner.endsWithStatus(outcome)),
                    "prompt": .string(shownPrompt),
                ]))
    }

    // MARK: - The end

    /// True if one of the client's lines or calls is running.
    var isBusy: Bool { !hasEnded && (mcp?.isBusy ?? (running != nil)) }

    /// Runs no further command: the queued lines are answered with an error.
    func stopRunning() {
        runner?.isEnding = true
        for line in lines { stream.send(RPCMessage.failure(line.id, RPCError(ShellError.hostEnds))) }
        lines = []
        if mcp?.isBusy == true { mcp?.inputDidEnd() }
    }

    /// Answers the running line with an unknown outcome.
    func giveUp() {
        giveUpLine?(.endedMeanwhile)
        mcp?.giveUp(RPCError(ShellError.endedMeanwhile))
    }

    /// Sends the client the reason for ending the connection, and ends it.
    func end(because reason: String) {
        notify("end", ["reason": .string(reason)])
        stream.closeWhenSent()
        close()
    }

    private func drop(_ reason: String) {
        logDrop(reason)
        stream.send(RPCMessage.failure(nil, .invalidRequest(reason)))
        // Standard error and the exit code of 'atrium mcp' follow it.
        if mcp != nil { notify("end", ["reason": .string(reason)]) }
        stream.closeWhenSent()
        close()
    }

    /// The time limit for a client to accept some of its pending output.
    private static let patience = Duration.seconds(30)
    /// The time limit for the first request of a connection.
    private static let silence = Duration.seconds(10)
    /// The most bytes that may wait for a client; the output of a command waits as a whole.
    private static let backlogLimit = 256 << 20

    /// Disconnects idle clients and clients that do not read.
    func dropIfDead() {
        if scene == nil, beganAt.duration(to: .now) > Self.silence {
            return drop("No 'hello' came within \(Self.silence.words).")
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
        running?.cancel()
        mcp?.close()
        lines = []
        runner?.keepState()
        hasEnded = true
        for continuation in asked.values { continuation.resume(throwing: CancellationError()) }
        asked = [:]
        if let scene {
            host.end(scene)
            if forgetsStack { server.forget(scene.name) }
        }
        server.didEnd(self)
        for continuation in waitingForEnd { continuation.resume() }
        waitingForEnd = []
    }
}

/// The keyboard of a client, which turns its echo off and on.
@MainActor
private final class RemoteKeyboard: Keyboard {
    private let setEcho: (Bool) -> Void

    init(_ setEcho: @escaping (Bool) -> Void) { self.setEcho = setEcho }

    func turnOff() { setEcho(false) }
    func turnOffAgain() { setEcho(false) }
    func turnOn() { setEcho(true) }
}

extension ShellError {
    /// A command that was not started because the host is ending.
    static let hostEnds = ShellError(
        "hostEnds", "The host is ending; the rest was not run.",
        hint: "Enter the rest again when the host is running.")
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
