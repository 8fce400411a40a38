@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// What the modules of a test saw, and what they do when they are activated.
@MainActor
private final class Script {
    static var current = Script()
    var events: [String] = []
    var fails = false

    struct Failure: Error {}
}

private class ScriptedModule: FeatureModule {
    var name: String { "" }
    private var state = "fresh"
    required init() {}

    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        let delay = context.configuration.double("delay").map { "\($0)" } ?? "-"
        Script.current.events.append("\(name) activates with \(delay)")
        if Script.current.fails { throw Script.Failure() }
    }

    func deactivate() async { Script.current.events.append("\(name) deactivates") }
}

private final class ModuleA: ScriptedModule { override var name: String { "A" } }
private final class ModuleB: ScriptedModule { override var name: String { "B" } }

/// Gives each module its own configuration.
private final class ConfiguredSite: ModuleSite {
    let container = Container(environment: .mock)

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        let none = ModuleScope.Infrastructure.none
        return ModuleScope.Infrastructure(
            database: none.database, clock: none.clock, logger: none.logger, analytics: none.analytics,
            configuration: configuration)
    }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {}
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {}
}

@Suite("Changing the configuration of a module", .serialized)
@MainActor
struct ConfigureTests {
    private let folder = TemporaryFolder()
    private let site = ConfiguredSite()
    private let script: Script
    private static let keys = """
        {"delay": {"type": "number", "default": 0.5, "minimum": 0, "maximum": 60, "summary": "s"},
         "isOn": {"type": "boolean", "default": true, "summary": "s"},
         "mode": {"type": "string", "choices": ["fast", "slow"], "summary": "s"},
         "accessToken": {"type": "integer", "summary": "s"}}
        """

    init() throws {
        Script.current = Script()
        script = Script.current
        try write("A")
    }

    private func write(_ name: String, keys: String = ConfigureTests.keys, onDemand: Bool = false) throws {
        var json = manifestJSON(name, configuration: keys)
        if onDemand { json = json.replacing("{\"name\"", with: "{\"activation\": \"onDemand\", \"name\"") }
        let image = ELFImage(machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(json.utf8))])
        folder.write(image.bytes, to: "lib\(name).so")
    }

    private func manager(
        _ file: [ManifestValue.Member] = [], _ problems: inout [any ExplainedError]
    ) async throws -> ModuleManager {
        let names = ["A"] + (FileSystem.exists(folder.path("libB.so")) ? ["B"] : [])
        let runtime = ModuleRuntime(
            modules: names.map { HostConfiguration.Module(name: $0, configuration: $0 == "A" ? file : []) },
            searchPaths: [folder.path], storeFolder: folder.path("store"), site: site)
        let types: [String: ScriptedModule.Type] = ["A": ModuleA.self, "B": ModuleB.self]
        runtime.open = { library in DynamicLibrary(address: nil) { types[library.name]?.init() } }
        let manager = ModuleManager(
            runtime, configuration: StateFile(path: folder.path("configuration.json"), isDurable: false))
        problems = try manager.restore(after: nil)
        await runtime.start()
        return manager
    }

    private func manager(_ file: [ManifestValue.Member] = []) async throws -> ModuleManager {
        var problems: [any ExplainedError] = []
        return try await manager(file, &problems)
    }

    private func values(_ manager: ModuleManager, _ name: String = "A") -> [String] {
        guard let module = manager.runtime.module(name) else { return [] }
        return manager.runtime.configuration(of: module).map {
            "\($0.key) \($0.text ?? "-") \($0.origin.rawValue)"
        }
    }

    private func text(_ name: String) -> String {
        String(decoding: contents(folder.path(name)), as: UTF8.self)
    }

    private func failure(_ manager: ModuleManager, _ command: ModuleCommand) async -> ModuleError? {
        do {
            _ = try await manager.run(command)
            return nil
        } catch {
            return error as? ModuleError
        }
    }

    // MARK: - What it does

    @Test("The module is loaded once more with the new values, and the generation before stops")
    func configure() async throws {
        let manager = try await manager()

        let report = try await manager.run(.configure("A", ["delay=2", "isOn=no"]))

        #expect(
            script.events == ["A activates with 0.5", "A activates with 2.0", "A deactivates"])
        #expect(report.plan.steps.map(\.kind) == [.configure])
        #expect(report.plan.steps[0].reason == "delay 0.5 -> 2, isOn true -> false")
        #expect(manager.runtime.module("A")?.current?.number == 2)
        #expect(
            values(manager) == [
                "delay 2 module configure", "isOn false module configure", "mode - -", "accessToken - -",
            ])
        #expect(manager.runtime.journal.events().last?.kind == "configured")
    }

    @Test("A plan changes nothing")
    func plan() async throws {
        let manager = try await manager()

        let plan = try await manager.plan(.configure("A", ["delay=2"]))

        #expect(plan.steps.map(\.reason) == ["delay 0.5 -> 2"])
        #expect(plan.values.map { $0.to?.text } == ["2"])
        #expect(script.events == ["A activates with 0.5"])
        #expect(values(manager)[0] == "delay 0.5 default")
    }

    @Test("A change that fails leaves values, file and generation as they were")
    func fails() async throws {
        let manager = try await manager()
        _ = try await manager.run(.configure("A", ["delay=1"]))
        let kept = text("configuration.json")
        script.fails = true

        let error = await failure(manager, .configure("A", ["delay=2"]))

        #expect(error?.message == "Module 'A' failed to activate: an error of type Failure.")
        #expect(values(manager)[0] == "delay 1 module configure")
        #expect(manager.runtime.module("A")?.current?.number == 2)
        #expect(text("configuration.json") == kept)
    }

    @Test("The next host starts with the values; a reset has modules.json count again")
    func keeps() async throws {
        let file = [ManifestValue.Member(key: "delay", value: .integer(9))]
        _ = try await manager(file).run(.configure("A", ["delay=2", "mode=slow"]))

        let next = try await manager(file)

        #expect(values(next)[0] == "delay 2 module configure")
        #expect(script.events.last == "A activates with 2.0")
        #expect(
            text("configuration.json") == #"{"modules":{"A":{"delay":2,"mode":"slow"}}}"#)

        _ = try await next.run(.configure("A", [], resets: ["delay", "mode"]))

        #expect(values(next)[0] == "delay 9 modules.json")
        #expect(values(next)[2] == "mode - -")
        #expect(script.events.suffix(2) == ["A activates with 9.0", "A deactivates"])
        #expect(!FileSystem.exists(folder.path("configuration.json")))
    }

    @Test("The same values again do nothing; a value that was the default is kept without loading anything")
    func unchanged() async throws {
        let manager = try await manager()

        let kept = try await manager.run(.configure("A", ["delay=0.5"]))
        let again = try await manager.run(.configure("A", ["delay=0.5"]))

        #expect(kept.plan.steps.map(\.reason) == ["delay stays 0.5"])
        #expect(again.plan.steps.isEmpty)
        #expect(script.events == ["A activates with 0.5"])
        #expect(values(manager)[0] == "delay 0.5 module configure")
    }

    @Test("A module on demand has its values when it is loaded")
    func onDemand() async throws {
        try write("B", onDemand: true)
        let manager = try await manager()

        let report = try await manager.run(.configure("B", ["delay=3"]))

        #expect(report.plan.steps.map(\.kind) == [.configure])
        #expect(manager.runtime.module("B")?.current == nil)
        _ = try await manager.run(.start("B"))
        #expect(script.events.last == "B activates with 3.0")
    }

    @Test("A module that failed because of modules.json starts with the values that correct it")
    func corrects() async throws {
        let manager = try await manager([.init(key: "delay", value: .string("long"))])
        #expect(manager.runtime.module("A")?.state.name == "failed")

        _ = try await manager.run(.configure("A", ["delay=3"]))

        #expect(manager.runtime.module("A")?.state.isActive == true)
        #expect(script.events == ["A activates with 3.0"])
    }

    @Test("Two changes at once are both kept")
    func concurrent() async throws {
        let manager = try await manager()

        async let first = manager.run(.configure("A", ["delay=2"]))
        async let second = manager.run(.configure("A", ["mode=slow"]))
        _ = try await (first, second)

        #expect(values(manager)[0] == "delay 2 module configure")
        #expect(values(manager)[2] == "mode slow module configure")
    }

    // MARK: - What is refused

    @Test("Everything that is wrong with a command is told at once, and nothing changes")
    func mistakes() async throws {
        let manager = try await manager()

        let error = await failure(
            manager,
            .configure(
                "A", ["dely=1", "isOn=maybe", "mode=medium", "delay", "delay=nan"], resets: ["mode", "mod"]))

        #expect(error?.code == .invalidArgument)
        #expect(error?.category == .failure)
        #expect(
            error?.message
                == "Module 'A' has no configuration 'dely'. Did you mean 'delay'? "
                + "'isOn' must be a boolean, not 'maybe'. 'mode' must be 'fast' or 'slow', not 'medium'. "
                + "A value is written as KEY=VALUE, such as delay=0.5. "
                + "'delay' must be a number, not 'nan'. 'mode' was not set with 'module configure'. "
                + "Module 'A' has no configuration 'mod'. Did you mean 'mode'?")
        #expect(error?.hint == "module configure A")
        #expect(
            await failure(manager, .configure("A", ["delay=61"]))?.message
                == "'delay' must be from 0 to 60, not 61.")
        #expect(values(manager)[0] == "delay 0.5 default")
        #expect(script.events == ["A activates with 0.5"])
    }

    @Test("A value whose key is called like a secret is shown nowhere")
    func secret() async throws {
        let manager = try await manager()

        let error = await failure(manager, .configure("A", ["accessToken=hunter2"]))
        #expect(error?.message == "'accessToken' must be an integer.")

        let report = try await manager.run(.configure("A", ["accessToken=4711"]))

        #expect(report.plan.steps[0].reason == "accessToken - -> …")
        #expect(report.plan.values[0].to?.json == .null)
        #expect(values(manager)[3] == "accessToken … module configure")
        #expect(!manager.runtime.journal.events().contains { $0.detail?.contains("4711") == true })
    }

    @Test("A value that the next build no longer declares is named with the command that drops it")
    func outdated() async throws {
        _ = try await manager().run(.configure("A", ["mode=slow"]))
        try write("A", keys: #"{"delay": {"type": "number", "default": 0.5, "summary": "s"}}"#)

        let next = try await manager()

        #expect(
            next.runtime.module("A")?.state.reason
                == #"What 'module configure' set for module 'A' is wrong: it does not know "mode"."#)
        let hint = (next.runtime.problems.first as? ModuleError)?.hint
        #expect(hint == "module configure A --reset mode")
        #expect(values(next) == ["delay 0.5 default", "mode slow module configure"])

        _ = try await next.run(.configure("A", [], resets: ["mode"]))

        #expect(next.runtime.module("A")?.state.isActive == true)
    }

    @Test("A damaged file is renamed and reported, and the defaults count")
    func damaged() async throws {
        folder.write("{\"modules\":[".utf8, to: "configuration.json")
        var problems: [any ExplainedError] = []

        let manager = try await manager([], &problems)

        #expect(problems.count == 1)
        #expect(values(manager)[0] == "delay 0.5 default")
    }
}
