@_spi(Host) import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@testable import AtriumMCP
@testable import AtriumServing
@testable import AtriumSession
@testable import AtriumText

/// A host's answers to clients that violate the protocol.
@Suite("Served scenes", .timeLimit(.minutes(5)))
@MainActor
struct ServedSceneTests {
    private let shop: TestHost
    private let server: SceneServer

    init() throws {
        shop = try TestHost()
        server = try SceneServer(serving: shop)
    }

    private static let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1}}"#

    /// Lines before `hello`, with the number of the error.
    private static let lines: [(String, Int)] = [
        ("\n{", -32700), ("nonsense", -32700), (String(repeating: "[", count: 100_000), -32700),
        (#"{"jsonrpc":"2.0","id":1,"method":"run","params":\#(nested)"#, -32700),
        ("[]", -32600), ("1", -32600), ("{}", -32600),
        (#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":3}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"run","params":{"line":"where"}}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":9}}"#, -32000),
        (#"{"jsonrpc":"2.0","id":1,"method":"hello","params":[1]}"#, -32000),
    ]
    private static let nested = String(repeating: #"{"a":"#, count: 50_000)

    /// Requests after `hello`, with the number of the error.
    private static let requests: [(method: String, parameters: JSONObject, number: Int)] = [
        ("nosuch", [:], -32601), ("run", [:], -32602), ("run", ["line": 3], -32602),
        ("hello", ["protocol": 1], -32600), ("complete", [:], -32602),
        ("resize", ["columns": 80, "rows": 24], -32602),
    ]

    private func connect() throws -> CInt {
        let sockets = try MCPRelay.pair()
        server.serve(sockets.host)
        return sockets.relay
    }

    /// Sends a line, and returns the identifier and the error of the answer; no error if it is a result.
    private func ask(_ peer: RawPeer, _ line: [UInt8]) async throws -> (id: RPCID?, error: RPCError?) {
        peer.send(line)
        switch try #require(await peer.next()) {
        case .response(let id, .failure(let error)): return (id, error)
        case .response(let id, .success): return (id, nil)
        case .refusal(let error): return (nil, error)
        case let other:
            Issue.record("The host sent \(other).")
            return (nil, nil)
        }
    }

    /// Expects that another client is served as ever.
    private func expectHealthy() async throws {
        let session = RemoteSession(
            FrontEndDescription(), to: HostClient(try connect()), in: try DataFolder(explicit: "/nowhere"))
        try await session.hello()
        #expect(try await session.run(.success("where")).status == .done)
        #expect(try await session.close() == .done)
    }

    @Test("A message that can't be parsed or executed is answered with an error; the connection stays open")
    func badMessages() async throws {
        let peer = RawPeer(try connect())
        for (line, number) in Self.lines {
            let error = try await ask(peer, Array((line + "\n").utf8)).error
            #expect(error?.number == number, "\(line.prefix(80))")
            #expect(error?.message.isEmpty == false, "\(line.prefix(80))")
        }
        #expect(try await ask(peer, [0xFF, 0xFE, 0x0A]).error?.number == -32700)
        #expect(try await ask(peer, Array((Self.hello + "\n").utf8)).error == nil)
        for (method, parameters, number) in Self.requests {
            let line = Array(RPCMessage.request(.text("x"), method, parameters).utf8)
            let answer = try await ask(peer, line)
            #expect(answer.id == .text("x") && answer.error?.number == number, "\(method)")
        }

        // Answers without a question and cancellations without a request are ignored.
        peer.send(Array(RPCMessage.result(.number(77), [:]).utf8))
        peer.send(Array(RPCMessage.notification("cancel", [:]).utf8))
        for cursor in [-5, 1_000_000_000_000, 2] {
            let parameters: JSONObject = ["line": "whé", "cursor": .integer(Int64(cursor))]
            let line = Array(RPCMessage.request(.number(2), "complete", parameters).utf8)
            let answer = try await ask(peer, line)
            #expect(answer.id == .number(2) && answer.error == nil, "\(cursor)")
        }
        try await expectHealthy()
    }

    @Test("A message that is too long ends the connection")
    func longMessage() async throws {
        let peer = RawPeer(try connect())
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineStream<RPCMessage>.lineLimit + 1)

        let answer = try await ask(peer, long)

        #expect(answer.id == nil && answer.error?.number == -32600)
        #expect(answer.error?.message.contains("longer than") == true)
        #expect(await peer.next() == nil)
        try await expectHealthy()
    }

    @Test("Invalid scene names, scenes in use, and other impossible requests are refused")
    func refusedWishes() async throws {
        let desk = HostClient(try connect())
        _ = try await desk.request("hello", ["protocol": 1, "scene": "desk"])
        var wishes: [(JSONObject, String?)] = [
            (["scene": "desk"], "sceneInUse"), (["scene": "test"], "sceneInUse"),
            (["options": ["env": "live"]], "otherHost"), (["protocol": 2], "protocolVersion"),
            (["mode": "mcp", "allow": "all"], nil), (["mode": "nosuch"], nil),
        ]
        for name in ["", "../x", "a b", String(repeating: "x", count: 65), "ä"] {
            wishes.append((["scene": .string(name)], "badSceneName"))
        }
        let client = HostClient(try connect())

        for (wish, code) in wishes {
            var parameters: JSONObject = ["protocol": 1]
            for member in wish.members { parameters[member.key] = member.value }
            let error = await #expect(throws: RPCError.self) { try await client.request("hello", parameters) }
            #expect(error?.data.text("code") == code, "\(JSONValue.object(wish).serialized)")
        }

        _ = try await client.request("hello", ["protocol": 1, "options": ["env": "mock"]])
        desk.close()
        client.close()
    }

    @Test(
        "A client that ended its input is answered; one that exited leaves at once",
        arguments: [SHUT_WR, SHUT_RDWR])
    func ending(_ direction: Int) async throws {
        // Longer than the test may take: nothing may wait for it.
        server.servePrograms(patience: .seconds(3_600))
        let log = try shop.addRoom()
        let socket = try connect()
        let peer = RawPeer(socket)
        let hello: JSONObject = ["protocol": 1, "mode": "mcp"]
        let beginning: JSONObject = ["protocolVersion": "2025-11-25", "capabilities": [:]]
        peer.send(Array(RPCMessage.request(.number(1), "hello", hello).utf8))
        peer.send(Array(RPCMessage.request(.number(2), "initialize", beginning).utf8))
        peer.send(Array(RPCMessage.request(.number(3), "tools/call", ["name": "room_hold"]).utf8))
        await eventually("the action runs") { log.lines == ["hold"] }

        shutdown(socket, Int32(direction))

        if direction == SHUT_WR {
            for _ in 1...2 { _ = await peer.next() }
            log.release.settle(.success(()))
            guard case .response(.number(3), .success)? = await peer.next() else {
                Issue.record("The call was not answered.")
                return
            }
        }
        await eventually("the end") { server.served.isEmpty && log.lines == ["hold", "hold ended"] }
        withExtendedLifetime(peer) {}
    }

    @Test("A host that is a script has scenes for scripts only")
    func scriptHost() async throws {
        let server = try SceneServer(serving: shop, as: .script)
        let sockets = try MCPRelay.pair()
        server.serve(sockets.host)
        let client = HostClient(sockets.relay)

        for wish: JSONObject in [["protocol": 1, "person": true], ["protocol": 1, "mode": "mcp"]] {
            let error = await #expect(throws: RPCError.self) { try await client.request("hello", wish) }
            #expect(error?.data.text("code") == "hostIsScript")
        }
        #expect(try await client.request("hello", ["protocol": 1]).text("scene") == "script-2")
        #expect(server.served.count == 1)
        client.close()
    }
}
