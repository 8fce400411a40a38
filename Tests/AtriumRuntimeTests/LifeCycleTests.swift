@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumCrash
@testable import AtriumLibraries
@testable import AtriumModules

/// Controls the modules of a test, by name, and records their events.
@MainActor
private final class Script {
    static var current = Script()
    var events: [String] = []
    /// Called by a module's `activate`.
    var activations: [String: @MainActor () async throws -> Void] = [:]
    var registrations: [String: @MainActor (ModuleRegistry) -> Void] = [:]

    struct Failure: Error {}
}

/// A module whose behaviour comes from the script.
private class ScriptedModule: FeatureModule {
    var name: String { "" }
    required init() {}

    func register(in registry: ModuleRegistry) {
        Script.current.registrations[name]?(registry)
    }

    func activate(_ context: borrowing ActivationContext) async throws {
        Script.current.events.append("\(name) activates")
        try await Script.current.activations[name]?()
    }

    func deactivate() async {
        Script.current.events.append("\(name) deactivates")
    }
}

private final class ModuleA: ScriptedModule { override var name: String { "A" } }
private final class ModuleB: ScriptedModule { override var name: String { "B" } }
private final class ModuleC: ScriptedModule { override var name: String { "C" } }

private final class Lamp: Sendable {}
private final class Desk: Sendable {
    let lamp: Lamp
    init(lamp: Lamp) { self.lamp = lamp }
}

private struct LampScreen: Destination {
    static let pattern: LinkPattern = "lamp"
}

private struct LampView: View {
    var body: Content { Title("Lamp") }
}

/// Start-up, loading on demand and commands share one life cycle.
@Suite("The life cycle of modules", .serialized)
@MainActor
struct LifeCycleTests {
    private let folder = TemporaryFolder()
    private let site = EmptySite()
    private let script: Script

    init() {
        Script.current = Script()
        script = Script.current
    }

    @discardableResult
    private func write(
        _ name: String, version: String = "1.0.0", requires: String = "{}", uses: String = "{}",
        points: String = "{}", provides: String = "[]", onDemand: Bool = false,
        screens: String = "{}"
    ) throws -> String {
        let activation = onDemand ? "onDemand" : "startup"
        let json = manifestJSON(name, version: version, requires: requires, screens: screens).replacing(
            "{\"name\"",
            with: "{\"activation\": \"\(activation)\", \"provides\": \(provides), \"uses\": \(uses), "
                + "\"points\": \(points), \"name\"")
        let image = ELFImage(machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(json.utf8))])
        return folder.write(image.bytes, to: "lib\(name).so")
    }

    private func runtime(_ names: String...) -> ModuleRuntime {
        let runtime = ModuleRuntime(
            modules: names.map { HostConfiguration.Module(name: $0) }, searchPaths: [folder.path],
            storeFolder: folder.path("store"), site: site)
        let types: [String: ScriptedModule.Type] = ["A": ModuleA.self, "B": ModuleB.self, "C": ModuleC.self]
        runtime.open = { library in DynamicLibrary(address: nil) { types[library.name]?.init() } }
        return runtime
    }

    private func states(_ runtime: ModuleRuntime) -> [String] { runtime.modules.map(\.state.name) }

    private func events(_ runtime: ModuleRuntime) -> [String] {
        runtime.journal.events().map { "\($0.kind) \($0.module ?? "")" }
    }

    /// Makes a module register `Lamp` as a repository.
    private func provideLamp(by module: String) {
        script.registrations[module] = { $0.repository(Lamp.self) { _ in Lamp() } }
    }

    // MARK: - Start-up

    @Test("At start-up, modules are activated in order of requirement and stopped in reverse")
    func order() async throws {
        try write("A", requires: #"{"B": "*"}"#)
        try write("B")
        let runtime = runtime("A", "B")

        await runtime.start()
        await runtime.stop()

        #expect(script.events == ["B activates", "A activates", "A deactivates", "B deactivates"])
        #expect(events(runtime) == ["started B", "started A"])
    }

    @Test("The events of a start belong together, those of a later change to that")
    func changes() async throws {
        try write("A")
        try write("B")
        let runtime = runtime("A", "B")
        await runtime.start()
        let module = try #require(runtime.module("B"))

        _ = try await runtime.change(ChangeRequest(starting: module))
        var request = ChangeRequest()
        request.removals = ["A", "B"]
        _ = try await runtime.change(request)
        runtime.journal.record("released", module: "A")

        let events = runtime.journal.events()
        #expect(events.map(\.cause) == ["start", "start", "command", "command", nil])
        #expect(Set(events.map(\.change)).count == 3)
        #expect(events[0].change == events[1].change && events[2].change == events[3].change)
    }

    @Test("At start-up, a module whose activation throws is deactivated; other modules are unaffected")
    func startFails() async throws {
        try write("A")
        try write("B")
        provideLamp(by: "A")
        script.activations["A"] = { throw Script.Failure() }
        let runtime = runtime("A", "B")

        await runtime.start()

        #expect(script.events == ["A activates", "A deactivates", "B activates"])
        #expect(states(runtime) == ["failed", "active"])
        #expect(
            runtime.module("A")?.state.reason
                == "Module 'A' failed to activate: an error of type Failure.")
        #expect(events(runtime) == ["started B", "failed A"])
        #expect(throws: ResolutionError.self) { try site.container.value(Lamp.self, .repository) }
    }

    @Test("At start-up, modules that require a failed one wait and are not activated; others start")
    func dependents() async throws {
        try write("A")
        try write("B", requires: #"{"A": "*"}"#)
        try write("C")
        script.activations["A"] = { throw Script.Failure() }
        let runtime = runtime("A", "B", "C")

        await runtime.start()

        #expect(script.events == ["A activates", "A deactivates", "C activates"])
        #expect(states(runtime) == ["failed", "waiting", "active"])
        #expect(runtime.module("B")?.state.reason == "it requires A *, which is not active.")
    }

    @Test("At start-up, if two modules register the same type, the later one fails")
    func duplicate() async throws {
        try write("A")
        try write("B")
        provideLamp(by: "A")
        provideLamp(by: "B")
        let runtime = runtime("A", "B")

        await runtime.start()

        #expect(states(runtime) == ["active", "failed"])
        #expect(script.events == ["A activates"])
        #expect(throws: Never.self) { try site.container.value(Lamp.self, .repository) }
    }

    @Test("For verification, all modules are registered and none is activated")
    func verification() async throws {
        try write("A")
        try write("B", onDemand: true)
        let runtime = runtime("A", "B")

        await runtime.start(activates: false)

        #expect(states(runtime) == ["active", "active"])
        #expect(script.events == [])
    }

    @Test("An activation at start-up loads its provider once, and waits until it is active")
    func onDemandAtStart() async throws {
        try write("A")
        try write("B", provides: #"["Lamp"]"#, onDemand: true)
        provideLamp(by: "B")
        let runtime = runtime("A", "B")
        script.activations["A"] = {
            async let first: Void = runtime.loadProvider(of: "Lamp")
            async let second: Void = runtime.loadProvider(of: "Lamp")
            _ = try await (first, second)
            Script.current.events.append("A goes on")
        }

        await runtime.start()

        #expect(script.events == ["A activates", "B activates", "A goes on"])
        #expect(states(runtime) == ["active", "active"])
    }

    // MARK: - On demand

    @Test("On demand, a factory gets its dependency at once; the provider is activated afterwards")
    func onDemand() async throws {
        try write("A", requires: #"{"B": "*"}"#)
        try write("B", provides: #"["Lamp"]"#, onDemand: true)
        provideLamp(by: "B")
        script.registrations["A"] = { $0.aggregateModel(Desk.self) { Desk(lamp: try $0.repository()) } }
        let runtime = runtime("A", "B")
        await runtime.start()
        #expect(states(runtime) == ["active", "resolved"])

        let desk: Desk = try site.container.value(Desk.self, .aggregateModel)

        #expect(states(runtime) == ["active", "active"])
        #expect(script.events == ["A activates"])
        await eventually("B is activated") { script.events.last == "B activates" }
        #expect(events(runtime) == ["started A", "loaded B"])
        #expect(try desk.lamp === site.container.value(Lamp.self, .repository))
    }

    @Test(
        "On demand, a module whose activation throws is deactivated, removed from the container, and failed")
    func onDemandFails() async throws {
        try write("B", provides: #"["Lamp"]"#, onDemand: true)
        provideLamp(by: "B")
        script.activations["B"] = { throw Script.Failure() }
        let runtime = runtime("B")
        await runtime.start()

        _ = try site.container.value(Lamp.self, .repository)
        await eventually("B is deactivated") { script.events.last == "B deactivates" }

        #expect(script.events == ["B activates", "B deactivates"])
        #expect(states(runtime) == ["failed"])
        #expect(events(runtime) == ["loaded B", "refused B"])
        #expect(throws: ResolutionError.self) { try site.container.value(Lamp.self, .repository) }
    }

    // MARK: - Commands

    @Test("By command, a module whose activation throws is deactivated, and nothing changes")
    func commandFails() async throws {
        try write("A")
        let path = try write("B")
        provideLamp(by: "B")
        script.activations["B"] = { throw Script.Failure() }
        let runtime = runtime("A")
        await runtime.start()
        let manager = ModuleManager(runtime)

        let error = await #expect(throws: ModuleError.self) { try await manager.run(.add([path])) }

        #expect(error?.message == "Module 'B' failed to activate: an error of type Failure.")
        #expect(script.events == ["A activates", "B activates", "B deactivates"])
        #expect(runtime.modules.map(\.name) == ["A"])
        #expect(events(runtime) == ["started A", "refused B"])
        #expect(throws: ResolutionError.self) { try site.container.value(Lamp.self, .repository) }
    }

    @Test("By command, an activation that loads a provider on demand does not wait for its own change")
    func onDemandInCommand() async throws {
        let path = try write("A")
        try write("B", provides: #"["Lamp"]"#, onDemand: true)
        provideLamp(by: "B")
        let runtime = runtime("B")
        await runtime.start()
        script.activations["A"] = { try await runtime.loadProvider(of: "Lamp") }

        let report = try await ModuleManager(runtime).run(.add([path]))

        #expect(report.plan.steps.map(\.module) == ["A"])
        #expect(states(runtime) == ["active", "active"])
        #expect(script.events.first == "A activates")
        #expect(script.events.last == "A activates")
        #expect(script.events.filter { $0 == "B activates" }.count == 1)
    }

    @Test("A used module comes, changes, no longer fits and goes: its user stays active and is built again")
    func uses() async throws {
        try write("A", uses: #"{"B": "^1"}"#)
        provideLamp(by: "B")
        script.registrations["A"] = { registry in
            registry.useCase([Lamp].self) { try $0.repositoryIfPresent(Lamp.self).map { [$0] } ?? [] }
        }
        let runtime = runtime("A")
        await runtime.start()
        let generation = runtime.module("A")?.current
        let steps: [(version: String?, found: Int, from: String?, to: String?, unfit: String?)] = [
            ("1.0.0", 1, nil, "1.0.0", nil), ("1.1.0", 1, "1.0.0", "1.1.0", nil),
            ("2.0.0", 0, "1.1.0", nil, "2.0.0"), ("1.2.0", 1, nil, "1.2.0", nil), (nil, 0, "1.2.0", nil, nil),
        ]
        #expect(try site.container.value([Lamp].self, .useCase).isEmpty)

        for step in steps {
            var request = ChangeRequest()
            if let version = step.version {
                let library = try await runtime.libraries(at: [try write("B", version: version)])
                let isNew = runtime.module("B") == nil
                (request.additions, request.updates) = isNew ? (library, []) : ([], library)
            } else {
                request.removals = ["B"]
            }
            let plan = try await runtime.plan(request)
            let report = try await runtime.change(request)

            for plan in [plan, report.plan] {
                let use = try #require(plan.uses.first, "\(step)")
                #expect((use.module, use.used) == ("A", "B") && use.isRebuilt, "\(step)")
                #expect((use.from, use.to) == (step.from, step.to) && use.unfit == step.unfit, "\(step)")
                #expect(plan.steps.map(\.module) == ["B"] && plan.rebuilt.count == 1, "\(step)")
            }
            #expect(try site.container.value([Lamp].self, .useCase).count == step.found, "\(step)")
            #expect(runtime.module("A")?.current === generation)
            #expect(runtime.unfitUses.isEmpty == (step.unfit == nil), "\(step)")
        }
        #expect(runtime.module("A")?.state.isActive == true)
        #expect(!script.events.contains("A deactivates"))
    }

    @Test("A screen that is bound to a used module has a link only while that is there and its version fits")
    func bound() async throws {
        try write("A", uses: #"{"B": "^1"}"#, screens: #"{"lamp": "The lamp"}"#)
        provideLamp(by: "B")
        script.registrations["A"] = { registry in
            registry.whilePresent("B") {
                registry.useCase([Lamp].self) { [try $0.repository(Lamp.self)] }
                registry.screen(LampScreen.self) { _ in LampView() }
            }
        }
        try write("B")
        let first = runtime("A", "B")
        script.activations["B"] = { throw Script.Failure() }
        await first.start()
        #expect(site.screens.isEmpty && first.module("A")?.state.isActive == true)
        let refused = first.reasonAgainst(["lamp"]) { $0 == "lamp" }
        #expect(
            refused?.message
                == "The screen 'lamp' of A is there only while B ^1 is active; B is failed.")
        #expect(refused?.hint == "why B")

        script.activations["B"] = nil
        var request = ChangeRequest()
        request.starts = ["B"]
        _ = try await first.change(request)
        #expect(site.screens.map(\.pattern.description) == ["lamp"])
        #expect(try site.container.value([Lamp].self, .useCase).count == 1)
        for (version, isPresent) in [("2.0.0", false), ("1.2.0", true)] {
            var request = ChangeRequest()
            request.updates = try await first.libraries(at: [try write("B", version: version)])
            _ = try await first.change(request)
            #expect(site.screens.isEmpty != isPresent, "\(version)")
            let lamps = try? site.container.value([Lamp].self, .useCase)
            #expect((lamps != nil) == isPresent, "\(version)")
        }
        #expect(first.reasonAgainst(["lamp"]) { $0 == "lamp" } == nil)
        request = ChangeRequest()
        request.removals = ["B"]
        _ = try await first.change(request)
        #expect(site.screens.isEmpty && first.module("A")?.state.isActive == true)
    }

    @Test("What is bound to a module on demand goes when that can't be loaded")
    func boundToFailing() async throws {
        try write("A", uses: #"{"D": "^1"}"#, screens: #"{"lamp": "The lamp"}"#)
        try write("D", provides: #"["Lamp"]"#, onDemand: true)
        script.registrations["A"] = { registry in
            registry.whilePresent("D") {
                registry.useCase([Lamp].self) { [try $0.repository(Lamp.self)] }
                registry.screen(LampScreen.self) { _ in LampView() }
            }
        }
        // No class has this name.
        let runtime = runtime("A", "D")
        await runtime.start()
        #expect(site.screens.count == 1 && states(runtime) == ["active", "resolved"])

        #expect(throws: (any Error).self) { try site.container.value([Lamp].self, .useCase) }
        await eventually("The screen is gone") { site.screens.isEmpty }

        #expect(states(runtime) == ["active", "failed"])
        #expect(runtime.reasonAgainst(["lamp"]) { $0 == "lamp" }?.hint == "why D")
    }

    @Test(
        "The plan refuses another type for a point's elements, by the manifests, and asks about a similar name"
    )
    func points() async throws {
        try write("A", points: #"{"offers": "(id: Int, name: String)"}"#)
        let other = try write("B", points: #"{"offers": "(id: Int, title: String)"}"#)
        let misspelt = try write("C", points: #"{"ofers": "Int"}"#)
        let runtime = runtime("A")
        await runtime.start()
        var request = ChangeRequest()

        request.additions = try await runtime.libraries(at: [other])
        let mismatched = request
        let error = await #expect(throws: ModuleError.self) { try await runtime.plan(mismatched) }
        request.additions = try await runtime.libraries(at: [misspelt])
        let plan = try await runtime.plan(request)

        #expect(error?.code == "otherElement")
        #expect(
            error?.message
                == "The elements of 'offers' are (id: Int, title: String) in module 'B' 1.0.0, and (id: Int, name: "
                + "String) in module 'A' 1.0.0.")
        #expect(
            plan.notes == [
                "No other module declares the contribution point 'ofers' of C. Did you mean 'offers' of A?"
            ])
        #expect(script.events == ["A activates"])
    }

    @Test("A command with nothing to do has a plan without steps")
    func nothingToDo() async throws {
        try write("A")
        let runtime = runtime("A")
        await runtime.start()
        let manager = ModuleManager(runtime)

        for command in [ModuleCommand.update([]), .update(["A"]), .start("A")] {
            #expect(try await manager.plan(command).steps.isEmpty)
            #expect(try await manager.run(command).plan.steps.isEmpty)
        }
        let error = await #expect(throws: ModuleError.self) { try await manager.run(.remove(["Aa"])) }
        #expect(error?.message == "There is no module 'Aa'.")
        #expect(error?.hint == "Did you mean 'A'?")
    }

    @Test("A failed module starts with the library that is now at its path")
    func startAgain() async throws {
        try write("A")
        script.activations["A"] = { throw Script.Failure() }
        let runtime = runtime("A")
        await runtime.start()
        script.activations["A"] = nil
        try write("A", provides: #"["Lamp"]"#)
        provideLamp(by: "A")

        let report = try await ModuleManager(runtime).run(.start("A"))

        #expect(report.plan.steps.map(\.kind) == [.load])
        #expect(states(runtime) == ["active"])
        #expect(throws: Never.self) { try site.container.value(Lamp.self, .repository) }
    }

    /// Starts a host with module A in quarantine.
    private func quarantine() async throws -> ModuleManager {
        let file = StateFile(path: folder.path("crashes.json"), isDurable: false)
        let manager = ModuleManager(runtime("A"), crashes: file)
        #expect(try manager.restore(after: nil).isEmpty)
        await manager.runtime.start()
        return manager
    }

    private func writeQuarantined() throws {
        try write("A")
        folder.write(
            Array(#"{"crashes": [], "quarantined": {"A": {"reason": "it crashed twice", "since": 0}}}"#.utf8),
            to: "crashes.json")
    }

    @Test("A quarantined module is starting while it is retried, and is not started twice")
    func secondStart() async throws {
        try writeQuarantined()
        let manager = try await quarantine()
        script.activations["A"] = {
            #expect(states(manager.runtime) == ["starting"])
            let error = await #expect(throws: ModuleError.self) { try await manager.run(.start("A")) }
            #expect(error?.code == "moduleStarting")
        }

        _ = try await manager.run(.start("A"))

        #expect(states(manager.runtime) == ["active"])
        #expect(try await manager.run(.start("A")).plan.steps.isEmpty)
    }

    @Test("A module whose start fails stays in quarantine, also at the next start of the host")
    func failedStart() async throws {
        try writeQuarantined()
        script.activations["A"] = { throw Script.Failure() }
        let first = try await quarantine()
        await #expect(throws: ModuleError.self) { try await first.run(.start("A")) }
        #expect(states(first.runtime) == ["quarantined"])

        let second = try await quarantine()
        #expect(states(second.runtime) == ["quarantined"])
        script.activations["A"] = nil
        _ = try await second.run(.start("A"))

        #expect(states(second.runtime) == ["active"])
        #expect(second.crashes.quarantined.isEmpty)
    }
}
