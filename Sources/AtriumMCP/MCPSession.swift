internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumRedirection
internal import AtriumServing
internal import AtriumSession
internal import AtriumText

/// The front end of a client of the Model Context Protocol; Docs/mcp.md describes what it offers.
///
/// - MCPSession+Calls: runs the tool calls, one at a time.
/// - MCPSession+Resources: reads screens, and reports when they change.
@MainActor
final class MCPSession: FrontEnd, GuestSession {
    let scene: Scene
    /// Runs the calls; returns their results, and prints everything else as messages to the client.
    private(set) lazy var session = LocalSession(
        scene, FrontEndDescription(),
        writingTo: LineRunner.Streams(
            output: OutputStream(name: "The output of calls") { _ in nil },
            errors: OutputStream(name: "The messages of calls") { [weak self] bytes in
                self?.log(String(decoding: bytes, as: UTF8.self))
                return nil
            }, errorWidth: nil),
        viewport: ViewportFeed(scene.viewport, option: nil) { nil }, permission: permission)
    let permission: Permission
    /// Runs one call at a time: they share a stack.
    let calls = CallQueue()
    private let send: (String) -> Void
    /// Waits while the client reads nothing.
    private let waitUntilSent: () async -> Void
    /// Called once every request before the end of input is answered, with the reason if some were not
    /// answered in time.
    private let didEnd: (_ reason: String?) -> Void
    /// The time limit for running calls after the input has ended.
    private let patience: Duration

    private var client: Client?
    /// True if the client has confirmed the answer to `initialize`.
    private var isReady = false
    private var running: [RPCID: Running] = [:]
    /// The number of tasks that have not ended, including those of cancelled requests.
    private(set) var unfinished = 0
    private var asked: [RPCID: Question] = [:]
    private var questions = 0
    /// True once the client's input has ended.
    private var inputHasEnded = false
    /// True once its relay can't answer either.
    private var inputIsClosed = false
    private var hasEnded = false
    /// The least severe level of messages that the client wants.
    private var level = LogLevel.info
    /// Sends the log's lines from the level on, once the client has chosen one.
    private var logFollower: LogFollower?
    /// Reports that the log has grown; nil while no client wants that.
    var logSubscription: LogFollower?
    /// By link, as the client names them.
    var subscriptions: [String: String] = [:]
    /// The lines printed since the last call ended, such as tapped calls: many clients show no messages.
    var notes: [String] = []
    private static let mostNotes = 200
    /// The actions of the current screen when the client was last notified.
    private var knownActions: [String] = []

    /// The client's description of itself.
    private struct Client {
        let version: String
        /// True if its user can be asked.
        let canAsk: Bool
    }

    /// A request that is being answered.
    private struct Running { var task: Task<Void, Never>? }

    /// A question without an answer.
    private struct Question {
        let isForRelay: Bool
        let continuation: CheckedContinuation<RPCParameters, any Error>
    }

    /// The versions of the protocol, newest first.
    static let versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// The most concurrent requests.
    private static let runningLimit = 256

    init(
        _ scene: Scene, permission: Permission, patience: Duration = .seconds(10),
        send: @escaping (String) -> Void, drained: @escaping () async -> Void,
        didEnd: @escaping (_ reason: String?) -> Void
    ) {
        self.scene = scene
        self.permission = permission
        self.patience = patience
        self.send = send
        waitUntilSent = drained
        self.didEnd = didEnd
        session.frontEnd = self
        scene.watches.didChange = { [weak self] in self?.resourceDidChange($0) }
        scene.modulesDidChange = { [weak self] in Task { await self?.modulesDidChange() } }
    }

    var host: ShellHost { scene.host }
    var catalog: Catalog { Catalog(scene: scene) }
    var canAsk: Bool { client?.canAsk == true && !inputHasEnded }

    // MARK: - Messages

    func receive(_ message: RPCMessage) {
        guard !hasEnded else { return }
        switch message {
        case .invalid(let id, let error): send(RPCMessage.failure(id, error))
        case .refusal: break
        case .response(let id, let result):
            asked.removeValue(forKey: id)?.continuation.resume(with: result.mapError { $0 as any Error })
        case .notification("end", _): clientDidEnd()
        case .notification("notifications/initialized", _): isReady = client != nil
        case .notification("notifications/cancelled", let parameters):
            guard let id = parameters["requestId"].json.flatMap(RPCID.init) else { return }
            running.removeValue(forKey: id)?.task?.cancel()
        case .notification: break
        case .request(let id, let method, let parameters):
            do throws(RPCError) {
                if inputHasEnded { throw RPCError(ShellError.hostEnds) }
                try handle(method, parameters, id)
            } catch {
                send(RPCMessage.failure(id, error))
            }
        }
    }

    private func handle(_ method: String, _ parameters: RPCParameters, _ id: RPCID) throws(RPCError) {
        if let json = parameters.json {
            guard case .object = json.plain else {
                throw .invalidRequest("Member 'params' must be an object.")
            }
        }
        switch method {
        case "ping": return send(RPCMessage.result(id, [:]))
        case "initialize": return send(RPCMessage.result(id, try initialize(parameters)))
        default: break
        }
        guard client != nil else { throw .invalidRequest("The first request must be 'initialize'.") }
        guard running[id] == nil else {
            throw .invalidRequest("The request before with the same 'id' is not answered yet.")
        }
        guard running.count < Self.runningLimit else {
            throw RPCError(
                ShellError(
                    "tooManyRequests", "\(Self.runningLimit) requests wait for their answers already.",
                    hint: "Wait for some of them, or cancel them."))
        }
        switch method {
        case "logging/setLevel":
            guard let level = parameters.text("level").flatMap(LogLevel.init(protocolName:)) else {
                throw .invalidParameters("'level' must be the name of a level of syslog.")
            }
            self.level = level
            follow(from: level)
            send(RPCMessage.result(id, [:]))
        case "tools/list":
            answer(id) { [self] in
                await loadModules()
                let tools = catalog.tools.filter { $0.isListed(for: permission) }
                let list = tools.map { $0.json(for: permission) }
                return try Page(of: list, by: "name", parameters).json(as: "tools")
            }
        case "tools/call": answer(id) { [self] in try await call(parameters) }
        case "resources/list":
            answer(id) { [self] in
                try Page(of: catalog.resources, by: "uri", parameters).json(as: "resources")
            }
        case "resources/templates/list":
            answer(id) { [self] in
                try Page(of: catalog.resourceTemplates, by: "uriTemplate", parameters)
                    .json(as: "resourceTemplates")
            }
        case "resources/read": answer(id) { [self] in try await read(parameters) }
        case "resources/subscribe": answer(id) { [self] in try await subscribe(parameters) }
        case "resources/unsubscribe": answer(id) { [self] in try unsubscribe(parameters) }
        case "prompts/list":
            answer(id) { [self] in
                try Page(of: catalog.prompts, by: "name", parameters).json(as: "prompts")
            }
        case "prompts/get": answer(id) { [self] in try await prompt(parameters) }
        default: throw .unknownMethod(method)
        }
    }

    private func initialize(_ parameters: RPCParameters) throws(RPCError) -> JSONObject {
        guard client == nil else { throw .invalidRequest("'initialize' was said already.") }
        guard let wanted = parameters.text("protocolVersion") else {
            throw .invalidParameters("'initialize' needs 'protocolVersion', a string.")
        }
        let version = Self.versions.contains(wanted) ? wanted : Self.versions[0]
        let elicitation = parameters["capabilities"]["elicitation"].json
        let isObject = if case .object? = elicitation?.plain { true } else { false }
        // Elicitation without a mode means forms.
        let takesForms = isObject && (elicitation?.members.isEmpty == true || elicitation?["form"] != nil)
        client = Client(version: version, canAsk: takesForms)
        let name = parameters["clientInfo"].text("name")
        if let name { scene.client?.name = String(name.printableLine.prefix(80)) }
        return [
            "protocolVersion": .string(version),
            "capabilities": [
                "logging": [:], "prompts": ["listChanged": true],
                "resources": ["subscribe": true, "listChanged": true], "tools": ["listChanged": true],
            ],
            "serverInfo": [
                "name": "atrium", "title": "Atrium", "version": .string(HostVersion.current),
            ],
            "instructions": .string(instructions),
        ]
    }

    private var instructions: String {
        let may =
            switch permission {
            case .reads:
                "It may only read: 'atrium mcp --allow changes' or '--allow destroys' lets it do more."
            case .changes:
                "It may read and change, and not destroy: that needs 'atrium mcp --allow destroys'."
            case .destroys: "It may read, change and destroy."
            case .code: "It may read, change, destroy and run Swift code."
            }
        return """
            Atrium is a host of feature modules in environment \(host.environment.rawValue). Screens have links, \
            such as entities/42; each is a resource, \(Catalog.scheme)LINK. The tools named after a screen are its \
            actions, those that begin with host_ are the host's commands. This session has a stack of screens of its \
            own: host_open opens one, and its actions then apply to it. \(may)
            """
    }

    /// Answers a request when the work is done, unless it was cancelled.
    private func answer(_ id: RPCID, _ work: @escaping @MainActor () async throws -> JSONObject) {
        running[id] = Running()
        unfinished += 1
        let task = Task.immediate {
            let line: String
            do {
                line = RPCMessage.result(id, try await work())
            } catch let error as RPCError {
                line = RPCMessage.failure(id, error)
            } catch {
                line = RPCMessage.failure(id, RPCError(ShellError.explain(error)))
            }
            await drained()
            finish(id, line)
        }
        if running[id] != nil { running[id]?.task = task }
    }

    private func finish(_ id: RPCID, _ line: String) {
        // The same id may belong to a later request by now: a cancelled request has no answer.
        if !Task.isCancelled, running.removeValue(forKey: id) != nil, !hasEnded { send(line) }
        unfinished -= 1
        if inputHasEnded, unfinished == 0 { didEnd(nil) }
    }

    private func prompt(_ parameters: RPCParameters) async throws -> JSONObject {
        guard let name = parameters.text("name") else {
            throw RPCError.invalidParameters("'prompts/get' needs 'name', a string.")
        }
        await loadModules()
        let task = parameters["arguments"].text("task")
        guard let prompt = catalog.prompt(name, task: task, permission: permission) else {
            throw RPCError.invalidParameters("There is no prompt '\(name.shortened)'.")
        }
        return prompt
    }

    private func loadModules() async {
        session.runner.warn(await catalog.loadModules())
    }

    // MARK: - Notifications

    func notify(_ method: String, _ parameters: JSONObject = [:]) {
        guard isReady, !hasEnded else { return }
        send(RPCMessage.notification("notifications/\(method)", parameters))
    }

    /// Sends the lines that modules and host log from now on.
    private func follow(from level: LogLevel) {
        logFollower = host.logFile.follow(LogFilter(level: level)) { [weak self] lines, dropped in
            for line in lines { self?.notify("message", Catalog.message(line)) }
            if dropped > 0 { self?.log("warning: \(dropped) log lines were dropped.") }
        }
    }

    private func log(_ text: String) {
        let lines = text.split(separator: "\n")
        notes += lines.prefix(Self.mostNotes - notes.count).map(String.init)
        let isWarning = text.hasPrefix("warning:")
        guard level <= (isWarning ? .warning : .info) else { return }
        notify(
            "message",
            [
                "level": isWarning ? "warning" : "info", "logger": "atrium",
                "data": .string(lines.map { String($0).trimmed }.joined(separator: " ")),
            ])
    }

    private func modulesDidChange() async {
        // Let the publisher of the change finish first.
        await Task.yield()
        guard !hasEnded else { return }
        for list in ["tools", "resources", "prompts"] { notify("\(list)/list_changed") }
        await scene.watches.settle(version: host.runtime.container.version)
    }

    /// Reports that the tools have changed with the current screen, whose actions may depend on its content.
    func currentScreenMayHaveChanged() {
        let actions = scene.coordinator.shownScreen?.view.listedActions.map(\.name) ?? []
        guard actions != knownActions else { return }
        let registration = scene.coordinator.currentRegistration
        let declared = registration.flatMap(host.declared.actions)?.map(\.name) ?? []
        let wereMore = !knownActions.allSatisfy(declared.contains)
        knownActions = actions
        if wereMore || !actions.allSatisfy(declared.contains) { notify("tools/list_changed") }
    }

    // MARK: - Questions to the client

    /// Lets the client's user choose an answer; nil if the client can't ask.
    func choose(_ question: String, from answers: [(name: String, summary: String)]) async throws -> String? {
        let parameters: JSONObject = [
            "message": .string(question),
            "requestedSchema": [
                "type": "object",
                "properties": [
                    "answer": [
                        "type": "string", "title": "Answer",
                        "enum": .array(answers.map { .string($0.name) }),
                        "enumNames": .array(answers.map { .string("\($0.name): \($0.summary)") }),
                    ]
                ],
                "required": ["answer"],
            ],
        ]
        let result: RPCParameters
        do { result = try await ask("elicitation/create", parameters) } catch let error as RPCError {
            throw ShellError(
                "notAsked", "The client could not ask its user: \(error.message.shortened)",
                hint: "Nothing was done.", category: .refused)
        }
        guard result.text("action") == "accept", let answer = result["content"].text("answer"),
            answers.contains(where: { $0.name == answer })
        else { return nil }
        return answer
    }

    private func ask(
        _ method: String, _ parameters: JSONObject, isForRelay: Bool = false
    ) async throws -> RPCParameters {
        guard !hasEnded, isForRelay ? !inputIsClosed : !inputHasEnded else { throw CancellationError() }
        questions += 1
        let id = RPCID.text("\(isForRelay ? MCPRelay.questionPrefix : "atrium-")\(questions)")
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                asked[id] = Question(isForRelay: isForRelay, continuation: continuation)
                send(RPCMessage.request(id, method, parameters))
            }
        } onCancel: {
            Task { @MainActor in
                guard let question = self.asked.removeValue(forKey: id) else { return }
                if !question.isForRelay { self.notify("cancelled", ["requestId": id.json]) }
                question.continuation.resume(throwing: CancellationError())
            }
        }
    }

    // MARK: - The front end

    func confirm(_ question: String, doing summary: String) async throws -> Bool? {
        // A client that could ask but has ended its input cancels.
        guard client?.canAsk == true else { return nil }
        return try await choose(question, from: [("yes", summary), ("no", "Leave everything as it is")])
            == "yes"
    }

    func environment(_ name: String) async throws -> String? {
        let answer = try await ask("environment", ["name": .string(name)], isForRelay: true)
        guard let value = answer.text("value") else {
            throw ArgumentError(
                .invalidArgument, "The environment of 'atrium mcp' has no variable '\(name.shortened)'.",
                hint: "Set it in the client's configuration, or use @file:PATH.")
        }
        return value
    }

    func drained() async { await waitUntilSent() }

    // A program's session asks for nothing else, and sends only results and messages.
    func receive(_ event: SessionEvent) {}
    func secret(_ name: String) async throws -> String { throw CancellationError() }
    func input() async throws -> [UInt8]? { nil }
    func open(_ destination: OutputRedirection) async throws -> any ResultTarget { throw CancellationError() }

    // MARK: - The end

    /// True if a request is being answered.
    var isBusy: Bool { !hasEnded && !running.isEmpty }

    /// Answers running requests with an error, and cancels them.
    func giveUp(_ error: RPCError) {
        for (id, request) in running {
            send(RPCMessage.failure(id, error))
            request.task?.cancel()
        }
        running = [:]
    }

    /// Ends once the running requests are answered, however long they take.
    func endWhenAnswered() {
        inputHasEnded = true
        stopAsking { inputIsClosed || !$0.isForRelay }
    }

    func inputDidEnd() {
        inputIsClosed = true
        clientDidEnd()
    }

    /// Waits for the running calls up to the time limit; no more can arrive.
    private func clientDidEnd() {
        guard !hasEnded else { return }
        endWhenAnswered()
        guard unfinished > 0 else { return didEnd(nil) }
        Task {
            try? await Task.sleep(for: patience)
            guard isBusy else { return didEnd(nil) }
            let limit = "within \(patience.words) after the end of input"
            giveUp(
                RPCError(
                    ShellError(
                        .unknownOutcome,
                        "The call did not end \(limit); it is not known whether it was performed.",
                        hint: "Check what was done before you repeat it, and keep the input open.")))
            didEnd("Calls did not end \(limit).")
        }
    }

    /// Ends at once, and cancels what runs.
    func close() {
        guard !hasEnded else { return }
        hasEnded = true
        for request in running.values { request.task?.cancel() }
        running = [:]
        stopAsking { _ in true }
    }

    private func stopAsking(where isDropped: (Question) -> Bool) {
        for (id, question) in asked where isDropped(question) {
            asked[id] = nil
            question.continuation.resume(throwing: CancellationError())
        }
    }
}

/// Runs calls one at a time, first in first out.
@MainActor
final class CallQueue {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func run<Value>(_ work: @MainActor () async throws -> Value) async throws -> Value {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        try Task.checkCancellation()
        return try await work()
    }
}

/// A page of a list, and the start of the next one.
private struct Page {
    private let items: ArraySlice<JSONObject>
    private let next: String?
    private static let size = 250
    private static let prefix = "after "

    /// A page of a list, sorted by a member of its items.
    ///
    /// - Throws: ``RPCError`` for an invalid cursor.
    init(of all: [JSONObject], by key: String, _ parameters: RPCParameters) throws(RPCError) {
        let all = all.sorted { ($0[key]?.stringValue ?? "") < ($1[key]?.stringValue ?? "") }
        var start = 0
        if let cursor = parameters.json?["cursor"], cursor.plain != .null {
            guard let text = cursor.text, text.hasPrefix(Self.prefix) else {
                throw .invalidParameters("'cursor' is not one that a list ended with.")
            }
            let last = text.dropFirst(Self.prefix.count)
            start = all.firstIndex { ($0[key]?.stringValue ?? "") > last } ?? all.count
        }
        items = all[start...].prefix(Self.size)
        let isLast = items.endIndex == all.endIndex
        next = isLast ? nil : items.last?[key]?.stringValue.map { Self.prefix + $0 }
    }

    func json(as key: String) -> JSONObject {
        var json: JSONObject = [key: .array(items.map { .object($0) })]
        if let next { json["nextCursor"] = .string(next) }
        return json
    }
}

extension LogLevel {
    /// The level that holds a level of syslog.
    fileprivate init?(protocolName name: String) {
        switch name {
        case "debug": self = .debug
        case "info": self = .info
        case "notice", "warning": self = .warning
        case "error", "critical", "alert", "emergency": self = .error
        default: return nil
        }
    }
}
