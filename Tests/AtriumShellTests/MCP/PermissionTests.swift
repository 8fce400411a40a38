@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumManifest
import AtriumNavigation
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumMCP
@testable import AtriumModules
@testable import AtriumSession
@testable import AtriumText

/// Nothing that a session may not do happens, whichever tool, command or value leads to it.
@MainActor
@Suite("Permissions")
struct PermissionTests {
    /// Commands, actions, links with actions, options and nothing, in the place of any value.
    private static let values = [
        "destroy", "change", "destroy --yes", "vault destroy", "vault", "--yes", "", "destroy;change",
        "module remove Shop", "live", "sign-in", "2", "exit", "$(destroy)", "&", "> x",
    ]

    private func session(_ shop: TestHost, _ permission: Permission, _ log: VaultLog) throws -> MCPSession {
        try shop.add("Vault") { registry in registry.screen(Vault.self) { _ in VaultView(log: log) } }
        return MCPSession(shop.scene, permission: permission, send: { _ in }, drained: {}, didEnd: { _ in })
    }

    private func arguments(_ tool: Tool, _ value: String) -> JSONValue {
        var json = JSONObject()
        for argument in tool.arguments {
            json[argument.name] = argument.isList ? .array([.string(value)]) : .string(value)
        }
        return .object(json)
    }

    @Test("Every tool, with every value, on a screen that has the actions", arguments: Permission.allCases)
    func tools(_ permission: Permission) async throws {
        let shop = try TestHost()
        let log = VaultLog()
        let session = try session(shop, permission, log)
        let present = shop.host.runtime.modules.map { "\($0.state)" }
        var refused = 0

        for tool in session.catalog.tools {
            // What a host command may change is its own business.
            if case .command = tool.target, tool.effect == .changes, permission != .reads { continue }
            for value in Self.values {
                try await shop.coordinator.push(Vault())
                let call: JSONObject = ["name": .string(tool.name), "arguments": arguments(tool, value)]
                let json = try LocatedJSON(parsing: Array(JSONValue.object(call).serialized.utf8))
                let answer = try? await session.call(RPCParameters(json))
                if answer?["structuredContent"]?["error"]?["code"] == "notAllowed" { refused += 1 }
            }
        }

        #expect(log.effects.isSubset(of: Set([.reads, .changes, .destroys].filter(permission.allows))))
        #expect(log.effects.contains(.reads))
        #expect(
            [.destroys, .code].contains(permission) ? log.effects.count == 3 : refused > Self.values.count)
        #expect(shop.host.runtime.modules.map { "\($0.state)" } == present)
    }

    @Test("Every command of the host and every action, as a line", arguments: Permission.allCases)
    func lines(_ permission: Permission) async throws {
        let shop = try TestHost()
        let log = VaultLog()
        let interpreter = try session(shop, permission, log).session.runner.interpreter
        let commands = HostCommands(scene: shop.scene).all.map(\.action)
        let actions = VaultView(log: log).actions

        for action in commands + actions
        where !permission.allows(action.effect) && HostCommands.milderForms[action.name] == nil {
            for line in [action.name, "vault \(action.name)", "\(action.name) 'a' --yes"] {
                try await shop.coordinator.push(Vault())
                guard case .failed(let error) = await interpreter.run(try Lexer.commands(in: line)[0]).outcome
                else {
                    Issue.record("'\(line)' was done.")
                    continue
                }
                #expect(["notAllowed", "unknownAction"].contains(error.code), "\(line): \(error.message)")
            }
        }

        #expect(log.effects.isEmpty)
    }

    @Test(
        "A command form that only reads needs no permission beyond reading; other forms do",
        arguments: [
            ("mock", "mock --reset"), ("mock play", "mock play demo"), ("mock record", "mock record --stop"),
            ("trace container", "trace container full"),
            ("module remove Shop --plan", "module remove Shop --plan=no"),
            ("module rollback Shop --plan", "module rollback Shop"),
            ("module configure Shop", "module configure Shop delay=1"),
            ("module configure Shop delay=1 --plan", "module configure Shop --reset delay"),
            ("module rollout", "module rollout Shop"), ("module rollout 3", "module rollout 3 --abort"),
            ("module rollout", "module rollout Shop --plan"),
        ])
    func forms(_ reading: String, _ changing: String) async throws {
        let shop = try TestHost()
        let interpreter = try session(shop, .reads, VaultLog()).session.runner.interpreter
        func code(_ line: String) async throws -> ErrorCode? {
            let reply = await interpreter.run(try Lexer.commands(in: line)[0])
            return if case .failed(let error) = reply.outcome { error.code } else { nil }
        }

        // The host has no module 'Shop' and no hosts to roll out to.
        let isDone = ["mock", "mock play", "mock record", "trace container"].contains(reading)
        let found = try await code(reading)
        #expect(isDone ? found == nil : found != "notAllowed")
        #expect(try await code(changing) == "notAllowed")
        #expect(shop.stack.isEmpty)
    }

    @Test(
        "Only a command form that changes something counts as a change",
        arguments: [
            ("mock", false), ("mock --reset", true), ("trace container", false), ("trace container on", true),
            ("modules", false), ("items create Lamp", true), ("items list", false), ("open items", false),
        ])
    func changes(_ line: String, _ changes: Bool) async throws {
        let shop = try TestHost()

        #expect(try await shop.output(line).changes.isEmpty != changes)
    }

    @Test("A read-only session has a changing command's tool, only for the form that reads")
    func toolForms() async throws {
        let shop = try TestHost()
        let session = try session(shop, .reads, VaultLog())
        let tool = try #require(session.catalog.tools.first { $0.name == "host_module_remove" })
        func code(_ arguments: JSONValue) async throws -> JSONValue? {
            let call: JSONObject = ["name": .string(tool.name), "arguments": arguments]
            let json = try LocatedJSON(parsing: Array(JSONValue.object(call).serialized.utf8))
            return try await session.call(RPCParameters(json))["structuredContent"]?["error"]?["code"]
        }

        #expect(tool.hasMilderForm)
        #expect(tool.json(for: .reads)["annotations"]?["readOnlyHint"] == true)
        #expect(tool.json(for: .changes)["annotations"]?["readOnlyHint"] == false)
        #expect(try await code(["name": ["Shop"], "plan": true]) != "notAllowed")
        #expect(try await code(["name": ["Shop"], "plan": false]) == "notAllowed")
        #expect(try await code(["name": ["Shop"]]) == "notAllowed")
        #expect(shop.stack.isEmpty)
    }

    @Test("A link is only ever a link, and an action only an action")
    func subjects() async throws {
        let shop = try TestHost()
        let log = VaultLog()
        let session = try session(shop, .destroys, log).session
        try await shop.coordinator.push(Vault())

        for name in ["look", "where", "vault"] {
            let link = try Link(name)
            let targets: [Call.Target] = [
                .screen(link, action: nil), .answer(name), .screen(try Link("vault"), action: name),
            ]
            var done: [Int] = []
            for (index, target) in targets.enumerated() {
                if try await !session.call(Call(tool: "test", target: target)).hasFailed {
                    done.append(index)
                }
            }
            #expect(done == ["look": [1, 2], "where": [], "vault": [0]][name])
        }
    }
}

private struct Vault: Destination {
    static let pattern: LinkPattern = "vault"
}

@MainActor
private final class VaultLog {
    var effects: Set<Action.Effect> = []
}

private struct VaultView: View {
    let log: VaultLog

    var body: Content { Title("Vault") }

    var actions: [Action] {
        action("look", .reads)
        action("change", .changes)
        action("destroy", .destroys)
    }

    private func action(_ name: String, _ effect: Action.Effect) -> Action {
        Action(name, "Acts", effect: effect) {
            log.effects.insert(effect)
            return .updated
        }
    }
}
