@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Naming the inactive module that would provide a missing type")
@MainActor
struct AbsenceTests {
    private let site = EmptySite()
    private let runtime: ModuleRuntime

    init() throws {
        runtime = ModuleRuntime(
            modules: ["Clockwork", "Bells"].map { HostConfiguration.Module(name: $0) }, searchPaths: [],
            storeFolder: "", site: site)
        runtime.modules[0].manifest = try manifest(
            manifestJSON("Clockwork").replacing("{\"name\"", with: "{\"provides\": [\"WallClock\"], \"name\"")
        )
    }

    private func message(_ name: String) throws -> String? {
        guard let absence = runtime.absence(of: name) else { return nil }
        // The message and hint of the container's error.
        site.container.explainMissing = { _ in absence }
        let error = #expect(throws: ResolutionError.self) {
            try site.container.value(AbsentClock.self, .service)
        }
        return error.map { "\($0.message) \($0.hint ?? "")" }
    }

    private struct AbsentClock {}

    @Test(
        "An inactive module that declares the type is named with its state",
        arguments: [
            (ModuleState.discovered, "discovered"), (.waiting("it requires Bells."), "waiting"),
            (.failed(ModuleError.cycle(["A", "A"])), "failed"), (.stopped, "stopped"),
        ])
    func inactive(_ state: ModuleState, _ word: String) throws {
        runtime.modules[0].state = state

        #expect(
            try message("WallClock")
                == "No active module registers AbsentClock as a service; module 'Clockwork' would, "
                + "but it is \(word): AbsentClock. why Clockwork")
    }

    @Test("An active module is not named")
    func active() {
        runtime.modules[0].state = .active

        #expect(runtime.absence(of: "WallClock") == nil)
    }

    @Test("A type that no known manifest declares has no explanation")
    func unknown() {
        #expect(runtime.absence(of: "Clock") == nil)
        #expect(runtime.absence(of: "Bells") == nil)
    }

    @Test("Starting registers the explanation with the container, and reports each missing library")
    func start() async throws {
        await runtime.start()

        #expect(site.container.explainMissing?("WallClock") != nil)
        #expect(site.container.explainMissing?("Clock") == nil)
        #expect(runtime.problems.count == 2)
        #expect(
            runtime.problems.first?.message.hasPrefix(
                "Module 'Clockwork' is not active: There is no library 'libClockwork.so'") == true)
    }
}
