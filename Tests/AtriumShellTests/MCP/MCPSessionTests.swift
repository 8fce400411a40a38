@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumMCP
@testable import AtriumSession

/// A client's messages and the answers, as lines in memory.
@Suite("A session of the Model Context Protocol", .timeLimit(.minutes(5)))
@MainActor
struct MCPSessionTests {
    private let shop: TestHost
    private let client = Client()
    private let session: MCPSession

    /// Records the messages that a session sends to its client.
    @MainActor
    private final class Client {
        var answers: [RPCID: Result<RPCParameters, RPCError>] = [:]
        var requests: [(id: RPCID, method: String)] = []
        var refusals: [Int] = []
        var hasEnded = false
        /// The reason that the session ended before every request was answered.
        var reason: String?
        var lastID: Int64 = 0

        func take(_ line: String) {
            switch RPCMessage(line: Array(line.utf8)) {
            case .response(let id, let answer): answers[id] = answer
            case .request(let id, let method, _): requests.append((id, method))
            case .refusal(let error): refusals.append(error.number)
            case .notification, .invalid: break
            }
        }

        func end(_ reason: String?) {
            hasEnded = true
            self.reason = self.reason ?? reason
        }
    }

    init() throws {
        shop = try TestHost()
        session = MCPSession(
            shop.scene, permission: .changes, send: { [client] in client.take($0) }, drained: {},
            didEnd: { [client] in client.end($0) })
    }

    private func receive(_ line: String) { session.receive(RPCMessage(line: Array(line.utf8))) }

    private func send(_ method: String, _ parameters: JSONObject) -> RPCID {
        client.lastID += 1
        receive(RPCMessage.request(.number(client.lastID), method, parameters))
        return .number(client.lastID)
    }

    private func answer(_ id: RPCID) async throws -> RPCParameters {
        await eventually("an answer to \(id)") { client.answers[id] != nil }
        return try #require(client.answers[id]).get()
    }

    private func ask(_ method: String, _ parameters: JSONObject = [:]) async throws -> RPCParameters {
        try await answer(send(method, parameters))
    }

    private func failure(_ method: String, _ parameters: JSONObject = [:]) async -> Int? {
        let error = await #expect(throws: RPCError.self) { try await ask(method, parameters) }
        return error?.number
    }

    /// Begins the session, with the version of the protocol and the capabilities of the client.
    @discardableResult
    private func initialize(
        _ version: String = "2025-11-25", _ capabilities: JSONObject = [:]
    ) async throws -> RPCParameters {
        let welcome = try await ask(
            "initialize", ["protocolVersion": .string(version), "capabilities": .object(capabilities)])
        receive(RPCMessage.notification("notifications/initialized", [:]))
        return welcome
    }

    private func call(_ tool: String, _ arguments: JSONObject = [:]) async throws -> RPCParameters {
        try await ask("tools/call", ["name": .string(tool), "arguments": .object(arguments)])
    }

    // MARK: - The beginning

    @Test(
        "The client's version is spoken, or the newest",
        arguments: [("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2001-01-01", "2025-11-25")])
    func version(_ wanted: String, _ spoken: String) async throws {
        #expect(await failure("tools/list") == -32600)
        #expect(await failure("initialize") == -32602)
        _ = try await ask("ping")

        let welcome = try await initialize(wanted)

        #expect(welcome.text("protocolVersion") == spoken)
        #expect(welcome["serverInfo"].text("name") == "atrium")
        #expect(await failure("initialize", ["protocolVersion": .string(wanted)]) == -32600)
    }

    @Test("A line that is not a message is answered with an error, and the session continues")
    func malformed() async throws {
        try await initialize()

        for line in ["{", "[]", "nonsense", #"{"jsonrpc":"2.0","id":{},"method":"ping"}"#] { receive(line) }
        #expect(client.refusals == [-32700, -32600, -32700, -32600])
        receive(#"{"jsonrpc":"2.0","id":"a","method":3}"#)
        receive(#"{"jsonrpc":"2.0","id":"b","method":"ping","params":[1]}"#)
        for id in ["a", "b"] {
            let error = await #expect(throws: RPCError.self) { try await answer(.text(id)) }
            #expect(error?.number == -32600, "\(id)")
        }
        let wrong: [(String, JSONObject, Int)] = [
            ("nosuch", [:], -32601), ("tools/call", [:], -32602), ("tools/call", ["name": "nosuch"], -32602),
            ("tools/call", ["name": "host_where", "arguments": [1]], -32602),
            ("tools/list", ["cursor": "x"], -32602), ("logging/setLevel", ["level": "x"], -32602),
            ("resources/read", [:], -32602), ("prompts/get", ["name": "nosuch"], -32602),
        ]
        for (method, parameters, number) in wrong {
            #expect(await failure(method, parameters) == number, "\(method)")
        }
        _ = try await ask("ping")
    }

    // MARK: - Tools

    @Test("The tools are those that the session may call")
    func tools() async throws {
        try await initialize()

        let tools = try await ask("tools/list")["tools"].items.compactMap { $0.text("name") }

        #expect(Set(tools).isSuperset(of: ["host_where", "items_list", "items_create", "items_id_text"]))
        #expect(!tools.contains("items_id_delete"))
    }

    @Test("Prompts for questions about the host name only tools that the session may call")
    func questions() async throws {
        try await initialize()
        let tools = Set(try await ask("tools/list")["tools"].items.compactMap { $0.text("name") })
        let prompts = try await ask("prompts/list")["prompts"].items.compactMap { $0.text("name") }

        #expect(Set(prompts).isSuperset(of: ["what-changed", "why-does-this-fail", "why-is-this-slow"]))
        let all = Set(Catalog(scene: try TestHost().scene).tools.map(\.name))
        for prompt in TaskPrompt.all {
            #expect(all.isSuperset(of: prompt.steps.map(\.tool)), "\(prompt.name)")
            let answer = try await ask(
                "prompts/get", ["name": .string(prompt.name), "arguments": ["task": "items"]])
            let text = try #require(answer["messages"].items.first?["content"].text("text"))
            let used = text.split(separator: "\n").filter { $0.hasPrefix("- tool ") }.map {
                String($0.dropFirst(7).prefix { $0 != ":" })
            }
            #expect(used.count > 3 && Set(used).isSubset(of: tools), "\(prompt.name): \(used)")
            #expect(text.hasSuffix("Task: items"))
        }
    }

    @Test("A call performs a command or an action; its error is a result with a code")
    func calls() async throws {
        try await initialize()

        let command = try await call("host_where")
        let action = try await call("items_create", ["name": "Lamp"])

        #expect(command["structuredContent"].text("link") == "home" && !command.flag("isError"))
        #expect(action["structuredContent"].text("message") == "Created 'Lamp'." && !action.flag("isError"))
        #expect(shop.log.lines.contains("create Lamp -"))
        for (tool, arguments, code) in [
            ("items_fail", [:], "outOfStock"), ("items_create", [:], "missingArgument"),
            ("items_id_delete", ["id": 7], "notAllowed"),
        ] as [(String, JSONObject, String)] {
            let failed = try await call(tool, arguments)
            #expect(failed.flag("isError") && failed["structuredContent"]["error"].text("code") == code)
        }
    }

    @Test("A cancelled call is not answered, and the next one runs")
    func cancelled() async throws {
        let log = try shop.addRoom()
        try await initialize()
        let id = send("tools/call", ["name": "room_hold"])
        await eventually("the action runs") { log.lines == ["hold"] }
        #expect(session.isBusy)

        receive(RPCMessage.notification("notifications/cancelled", ["requestId": id.json]))

        #expect(try await !call("host_where").flag("isError"))
        #expect(log.lines == ["hold", "hold ended"])
        #expect(client.answers[id] == nil && !session.isBusy)
    }

    @Test("After the end of input running calls are answered, and then the session ends")
    func endOfInput() async throws {
        let log = try shop.addRoom()
        try await initialize()
        let id = send("tools/call", ["name": "room_hold"])
        await eventually("the action runs") { log.lines == ["hold"] }

        session.inputDidEnd()
        #expect(!client.hasEnded)
        log.release.settle(.success(()))

        #expect(try await !answer(id).flag("isError"))
        await eventually("the end") { client.hasEnded }
        #expect(client.reason == nil)
    }

    @Test("At the time limit after the end of input, running calls fail and are cancelled")
    func limitAfterInput() async throws {
        let log = try shop.addRoom()
        let session = MCPSession(
            shop.scene, permission: .changes, patience: .zero, send: { [client] in client.take($0) },
            drained: {}, didEnd: { [client] in client.end($0) })
        func send(_ id: Int64, _ method: String, _ parameters: JSONObject) {
            let line = RPCMessage.request(.number(id), method, parameters)
            session.receive(RPCMessage(line: Array(line.utf8)))
        }
        send(1, "initialize", ["protocolVersion": "2025-11-25", "capabilities": [:]])
        send(2, "tools/call", ["name": "room_hold"])
        send(3, "tools/call", ["name": "host_where"])
        await eventually("the action runs") { log.lines == ["hold"] }

        session.inputDidEnd()

        for id: Int64 in [2, 3] {
            let error = await #expect(throws: RPCError.self) { try await answer(.number(id)) }
            #expect(error?.data.text("code") == "unknownOutcome")
        }
        #expect(client.reason != nil)
        await eventually("the end of the action") { log.lines == ["hold", "hold ended"] }
        // The cancelled call after it still ends, in a scene that needs its host.
        await eventually("the end of the calls") { session.unfinished == 0 }
    }

    // MARK: - The relay

    @Test("The relay drops client lines that only it may send, even if they are escaped")
    func forged() {
        let dropped = [
            #"{"jsonrpc":"2.0","id":"environment-1","result":{"value":"x"}}"#,
            #"{"id":"\u0065nvironment-12","error":{"code":1,"message":"x"},"jsonrpc":"2.0"}"#,
            #"{"jsonrpc":"2.0","method":"end"}"#, #"{"method":"\u0065nd","params":{},"jsonrpc":"2.0"}"#, "",
        ]
        let kept = [
            #"{"jsonrpc":"2.0","id":"environment-1","method":"ping"}"#,
            #"{"jsonrpc":"2.0","id":"atrium-1","result":{}}"#, #"{"jsonrpc":"2.0","id":1,"method":"end"}"#,
            #"{"jsonrpc":"2.0","method":"ends"}"#, "nonsense",
        ]
        let lines = zip(dropped, kept).map { "\($0)\n\($1)\n" }.joined()

        let forwarded = MCPRelay.forwarded(Array(lines.utf8)[...])

        #expect(String(decoding: forwarded, as: UTF8.self) == kept.map { $0 + "\n" }.joined())
    }

    // MARK: - Questions

    @Test("A variable comes from the client, which may refuse to send it")
    func variable() async throws {
        try await initialize()
        let arguments: JSONObject = ["email": "ada@example.com", "password": "@env:SECRET"]
        let call: JSONObject = ["name": "items_sign-in", "arguments": .object(arguments)]

        let told = send("tools/call", call)
        await eventually("the question") { client.requests.map(\.method) == ["environment"] }
        receive(RPCMessage.result(client.requests[0].id, ["value": "Zaunkönig"]))
        #expect(try await !answer(told).flag("isError"))

        let refused = send("tools/call", call)
        await eventually("the question") { client.requests.count == 2 }
        receive(RPCMessage.failure(client.requests[1].id, .invalidRequest("No.")))
        #expect(try await answer(refused).flag("isError"))

        let unknown = send("tools/call", call)
        await eventually("the question") { client.requests.count == 3 }
        receive(RPCMessage.result(client.requests[2].id, ["value": .null]))
        let error = try await answer(unknown)["structuredContent"]["error"]
        #expect(error.text("code") == "invalidArgument")

        let done = shop.log.lines.filter { $0.hasPrefix("sign-in") }
        #expect(done == ["sign-in ada@example.com Zaunkönig"])
    }

    @Test("A variable still arrives after the end of input", arguments: [true, false])
    func variableAfterInput(_ isAskedBefore: Bool) async throws {
        try await initialize()
        let arguments: JSONObject = ["email": "ada@example.com", "password": "@env:SECRET"]

        let id = send("tools/call", ["name": "items_sign-in", "arguments": .object(arguments)])
        if isAskedBefore { await eventually("the question") { !client.requests.isEmpty } }
        receive(RPCMessage.notification("end", [:]))
        await eventually("the question") { client.requests.map(\.method) == ["environment"] }
        receive(RPCMessage.result(client.requests[0].id, ["value": "Zaunkönig"]))

        #expect(try await !answer(id).flag("isError"))
        await eventually("the end") { client.hasEnded }
    }

    @Test("No variable is requested once the connection is closed", arguments: [true, false])
    func variableAfterClosing(_ isAskedBefore: Bool) async throws {
        try await initialize()
        let arguments: JSONObject = ["email": "ada@example.com", "password": "@env:SECRET"]

        let id = send("tools/call", ["name": "items_sign-in", "arguments": .object(arguments)])
        if isAskedBefore { await eventually("the question") { !client.requests.isEmpty } }
        session.inputDidEnd()

        let error = try await answer(id)["structuredContent"]["error"]
        #expect(error.text("code") == "cancelled")
        await eventually("the end") { client.hasEnded }
    }

    /// An archive whose action asks, for a client that can ask its user.
    private func askableArchive() async throws -> ArchiveLog {
        let log = ArchiveLog()
        log.isMember = true
        try shop.addArchive(log)
        try await initialize("2025-11-25", ["elicitation": [:]])
        return log
    }

    @Test("The client's user confirms an action", arguments: ["yes", "no"])
    func confirmation(_ word: String) async throws {
        let log = try await askableArchive()

        let id = send("tools/call", ["name": "archive_ask"])
        await eventually("the question") { client.requests.map(\.method) == ["elicitation/create"] }
        let answer: JSONObject = ["action": "accept", "content": ["answer": .string(word)]]
        receive(RPCMessage.result(client.requests[0].id, answer))

        #expect(try await !self.answer(id).flag("isError"))
        #expect(log.lines.contains("ask") == (word == "yes"))
    }

    @Test("Without a user who answers, an action that asks first is done, and one with doubts is not")
    func nobodyAnswers() async throws {
        let press = try shop.addPress()
        let archive = ArchiveLog()
        archive.isMember = true
        try shop.addArchive(archive)
        try await initialize()

        #expect(try await !call("archive_ask").flag("isError"))
        let answer = try await call("press_print")

        #expect(archive.lines.contains("ask"))
        #expect(press.runs == 1)
        let error = answer["structuredContent"]["error"]
        #expect(error.text("code") == "confirmationNeeded")
        #expect(error.text("hint") == "If this is intended, type the command at the host's prompt.")
    }

    @Test("Without an answer of the client's user nothing is done", arguments: ["end", "error"])
    func unanswered(_ reason: String) async throws {
        let log = try await askableArchive()

        let id = send("tools/call", ["name": "archive_ask"])
        // The end of the input comes before the question, the error after it.
        if reason == "end" {
            session.inputDidEnd()
        } else {
            await eventually("the question") { !client.requests.isEmpty }
            receive(RPCMessage.failure(client.requests[0].id, RPCError.unknownMethod("elicitation/create")))
        }

        let answer = try await answer(id)
        #expect(answer.flag("isError"))
        let code = answer["structuredContent"]["error"].text("code")
        #expect(code == (reason == "end" ? "cancelled" : "notAsked"))
        #expect(!log.lines.contains("ask"))
    }

    // MARK: - Resources

    @Test("A screen is read as a resource, on a stack of its own")
    func resources() async throws {
        try await initialize()

        let read = try await ask("resources/read", ["uri": "atrium:///items/7"])["contents"].items

        #expect(read.map { $0.text("uri") } == ["atrium:///items/7"])
        #expect(read.map { $0.text("text") } == [#"{"id":7}"#])
        #expect(shop.stack.isEmpty)
        #expect(await failure("resources/read", ["uri": "atrium:///nosuch"]) == -32002)
    }
}
