@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// A module with a number as its state, which a test makes fail.
private final class Tally: FeatureModule {
    static var stateVersion: Int { version }
    /// What the builds that are opened from now on are.
    nonisolated(unsafe) static var version = 1
    /// The generations, the last one last.
    @MainActor static var all: [Tally] = []
    var count = 0
    var snapshotFails = false
    static nonisolated(unsafe) var restoreFails = false

    struct State: Codable { let count: Int }
    struct Failure: Error {}

    init() { Tally.all.append(self) }
    func register(in registry: ModuleRegistry) {}

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        if snapshotFails { throw Failure() }
        return count == 0 ? nil : try ModuleSnapshot(version: version, State(count: count))
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        if Self.restoreFails { throw Failure() }
        count = try snapshot.decode(State.self).count
    }
}

@Suite("The state of modules between their generations", .serialized)
@MainActor
struct ModuleStatesTests {
    private let folder = TemporaryFolder()
    private let sites = Sites()

    /// The runtimes don't keep their sites alive.
    @MainActor private final class Sites { var all: [EmptySite] = [] }

    init() throws {
        Tally.all = []
        Tally.version = 1
        Tally.restoreFails = false
        try write("1.0.0")
    }

    private func write(_ version: String) throws {
        let json = manifestJSON("Tally", version: version)
        let image = ELFImage(machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(json.utf8))])
        _ = folder.write(image.bytes, to: "libTally.so")
    }

    /// A manager whose modules have started, as in a new process.
    private func manager() async throws -> ModuleManager {
        let site = EmptySite()
        sites.all.append(site)
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "Tally")], searchPaths: [folder.path],
            storeFolder: folder.path("store"), site: site)
        runtime.open = { _ in DynamicLibrary(address: nil) { Tally() } }
        let manager = ModuleManager(
            runtime, states: StateFile(path: folder.path("states.json"), isDurable: false))
        _ = try manager.restore(after: nil)
        await runtime.start()
        return manager
    }

    private var tally: Tally { Tally.all[Tally.all.count - 1] }

    @Test("State survives a restart")
    func restart() async throws {
        let first = try await manager()
        tally.count = 3
        let problems = first.keepStates()

        let second = try await manager()

        #expect(problems.isEmpty)
        #expect(tally.count == 3)
        #expect(second.runtime.problems.isEmpty)
    }

    @Test("State survives removal and return")
    func removal() async throws {
        let manager = try await manager()
        tally.count = 3
        _ = try await manager.run(.remove(["Tally"]))

        _ = try await manager.run(.add([folder.path("libTally.so")]))

        #expect(Tally.all.count == 2)
        #expect(tally.count == 3)
    }

    @Test("A snapshot that throws refuses the update, and names the command that goes on without it")
    func snapshotThrows() async throws {
        let manager = try await manager()
        tally.snapshotFails = true
        try write("1.1.0")

        let error = await #expect(throws: ModuleError.self) { try await manager.run(.update(["Tally"])) }
        let report = try await manager.run(.update(["Tally"], withoutState: true))

        #expect(
            error?.message
                == "The state of module 'Tally' 1.0.0 could not be handed over to 1.1.0: an error of type Failure."
        )
        #expect(error?.hint == "module update Tally --without-state")
        #expect(
            report.events.map(\.message) == [
                "The state of module 'Tally' 1.0.0 is lost: an error of type Failure."
            ])
        #expect(manager.runtime.module("Tally")?.current?.version.description == "1.1.0")
    }

    @Test("State that was left behind is kept, offered after a rollback, and can be put back")
    func kept() async throws {
        let manager = try await manager()
        tally.count = 3
        try write("1.1.0")
        let update = try await manager.run(.update(["Tally"], withoutState: true))
        tally.count = 8

        let rollback = try await manager.run(.rollback("Tally"))
        let afterRollback = tally.count
        try manager.restoreState(of: "Tally")

        #expect(
            update.events.map(\.message) == [
                "The state of module 'Tally' 1.0.0 is kept: 'module restore-state Tally' puts it back."
            ])
        #expect(
            rollback.events.map(\.message) == [
                "A state of module 'Tally' 1.0.0 is kept: 'module restore-state Tally' puts it back."
            ])
        #expect(afterRollback == 8)
        #expect(tally.count == 3)
        try manager.restoreState(of: "Tally")
        #expect(tally.count == 8)
    }

    @Test("Kept state that does not fit at a start is reported and kept; the module works")
    func misfit() async throws {
        let first = try await manager()
        tally.count = 3
        _ = first.keepStates()
        Tally.restoreFails = true

        let second = try await manager()
        let problems = second.runtime.takeEvents(.warning).map(\.message)
        _ = second.keepStates()
        Tally.restoreFails = false
        let third = try await manager()
        let before = tally.count
        try third.restoreState(of: "Tally")

        #expect(
            problems == [
                "The state of module 'Tally' 1.0.0 does not fit 1.0.0: an error of type Failure. It is kept, and "
                    + "'module restore-state Tally' gives it to a build that it fits."
            ])
        #expect(second.runtime.module("Tally")?.state.isActive == true)
        #expect(before == 0)
        #expect(tally.count == 3)
    }

    @Test("State of a newer version is kept for a build that reads it")
    func newer() async throws {
        Tally.version = 2
        let first = try await manager()
        tally.count = 3
        _ = first.keepStates()
        Tally.version = 1

        let second = try await manager()

        #expect(tally.count == 0)
        #expect(
            second.runtime.takeEvents(.warning).map(\.message) == [
                "The state of module 'Tally' 1.0.0 does not fit 1.0.0: it has version 2, and this build reads "
                    + "versions up to 1. It is kept, and 'module restore-state Tally' gives it to a build that it "
                    + "fits."
            ])
    }

    @Test("State that can't be taken is told once, and what was taken before stays")
    func notTaken() async throws {
        let first = try await manager()
        tally.count = 3
        _ = first.keepStates()
        tally.snapshotFails = true

        let problems = first.keepStates() + first.keepStates()
        _ = try await manager()

        #expect(
            problems.map(\.message) == [
                "The state of module 'Tally' 1.0.0 can't be kept: an error of type Failure."
            ])
        #expect(tally.count == 3)
    }

    @Test("The largest states keep their former ones, and name the field; the others are written")
    func tooLarge() throws {
        let file = StateFile(path: folder.path("large.json"), isDurable: false, limit: 1_000)
        func states(_ texts: [String: String]) throws -> ModuleStates {
            var states = ModuleStates()
            for (module, text) in texts {
                let json = try StateCoding.encode(["id": "1", "text": text])
                states.current[module] = .init(version: 1, json: json, build: "1.0.0")
            }
            return states
        }
        let long = String(repeating: "x", count: 800)
        try file.save(try states(["A": "former", "B": "former"]))
        var refused: [String] = []

        try file.save(try states(["A": long, "B": "new", "C": long + "y"])) { states, former, excess in
            let (rest, why) = states.reduced(by: excess, to: former)
            refused += why
            return rest
        }

        #expect(
            refused
                == ["C", "A"].map {
                    "The state of module '\($0)' 1.0.0 can't be kept: field 'text' makes it too large to restore. "
                        + "The earlier state is kept."
                })
        let kept = try file.load(ModuleStates.self) { _ in }
        #expect(try kept == states(["A": "former", "B": "new"]))
    }

    @Test("Without a kept state, there is nothing to put back")
    func nothing() async throws {
        let manager = try await manager()

        let error = #expect(throws: ModuleError.self) { try manager.restoreState(of: "Tally") }

        #expect(error?.message == "No state of module 'Tally' is kept.")
    }
}
