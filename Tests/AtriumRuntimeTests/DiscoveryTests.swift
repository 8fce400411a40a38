@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Discovering modules before their code runs")
@MainActor
struct DiscoveryTests {
    private let folder = TemporaryFolder()
    private let site = EmptySite()

    private func write(_ manifest: String, to name: String) throws {
        let image = ELFImage(
            machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(manifest.utf8))])
        folder.write(image.bytes, to: name)
    }

    private func start(_ modules: HostConfiguration.Module...) async -> ModuleRuntime {
        let runtime = ModuleRuntime(
            modules: modules, searchPaths: [folder.path("none"), folder.path],
            storeFolder: folder.path("store"),
            site: site)
        await runtime.start()
        return runtime
    }

    @Test("A missing library is reported with the folders that were searched")
    func notFound() async {
        let runtime = await start(HostConfiguration.Module(name: "Catalog"))

        let module = runtime.modules[0]
        #expect(module.state.name == "failed")
        #expect(
            module.state.reason
                == "There is no library 'libCatalog.so' for module 'Catalog' in '\(folder.path("none"))', '\(folder.path)'."
        )
        #expect(
            module.state.hint(for: module.name)
                == "Build it with 'make build', or give its \"path\" in modules.json.")
        #expect(
            runtime.problems.map(\.message) == [
                "Module 'Catalog' is not active: \(module.state.reason ?? "")"
            ])
        #expect(folder.names().isEmpty)
    }

    @Test("A library without a manifest, with an invalid one or with another module's is reported")
    func badManifests() async throws {
        folder.write(ELFImage(machine: try SystemLibrary.machine(), []).bytes, to: "libA.so")
        try write("{}", to: "libB.so")
        try write(manifestJSON("Other"), to: "libC.so")

        let runtime = await start(
            HostConfiguration.Module(name: "A"), HostConfiguration.Module(name: "B"),
            HostConfiguration.Module(name: "C", path: folder.path("libC.so")))

        let reasons = runtime.modules.compactMap(\.state.reason)
        #expect(reasons[0] == "'\(folder.path("libA.so"))' has no manifest in it, so it is not a module.")
        #expect(
            reasons[1].hasPrefix("The manifest in '\(folder.path("libB.so"))' is invalid: line 1, sdk: "),
            "\(reasons[1])")
        #expect(
            reasons[2]
                == "'\(folder.path("libC.so"))' holds module 'Other', but modules.json expects 'C' there.")
        #expect(folder.names(in: "store").isEmpty)
    }

    @Test("The error names the file that expects another module in the library")
    func otherNameAdded() async throws {
        try write(manifestJSON("Other"), to: "libC.so")
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [folder.path], storeFolder: folder.path("store"), site: site)
        var installed = InstalledModules()
        installed.added = [.init(name: "", path: folder.path("libC.so"))]

        runtime.apply(installed)
        await runtime.start()

        #expect(runtime.modules.first?.state.reason?.contains("installed.json expects '' there") == true)
    }

    @Test("The hint for a library that is gone names modules.json only if that has its path")
    func goneLibrary() async throws {
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "A", path: folder.path("libA.so"))],
            searchPaths: [folder.path], storeFolder: folder.path("store"), site: site)
        var installed = InstalledModules()
        installed.added = [.init(name: "B", path: folder.path("libB.so"))]

        runtime.apply(installed)
        await runtime.start()

        #expect(
            runtime.modules.map { $0.state.hint(for: $0.name) } == [
                "Correct the \"path\" of A in modules.json.", "Bring the library back, or: module remove B",
            ])
    }

    @Test("A module that requires one that can't be loaded waits, and its manifest is known")
    func waiting() async throws {
        try write(manifestJSON("A", compiler: "5.10"), to: "libA.so")
        try write(
            manifestJSON("B", requires: #"{"A": "^1.0.0"}"#, screens: #"{"b/:id": "One b"}"#), to: "libB.so")

        let runtime = await start(HostConfiguration.Module(name: "B"), HostConfiguration.Module(name: "A"))

        #expect(runtime.modules.map(\.name) == ["B", "A"])
        #expect(runtime.module("A")?.state.name == "failed")
        #expect(runtime.module("B")?.state.name == "waiting")
        #expect(runtime.module("B")?.state.reason == "it requires A ^1.0.0, which can't be loaded.")
        #expect(runtime.module("B")?.manifest?.screens.map(\.pattern) == ["b/:id"])
        #expect(runtime.module("C") == nil)
    }

    @Test("Each member of a dependency cycle fails with its path")
    func cycle() async throws {
        try write(manifestJSON("A", requires: #"{"B": "*"}"#), to: "libA.so")
        try write(manifestJSON("B", requires: #"{"A": "*"}"#), to: "libB.so")

        let runtime = await start(HostConfiguration.Module(name: "A"), HostConfiguration.Module(name: "B"))

        let reason = "Dependency cycle: A → B → A."
        #expect(runtime.modules.map(\.state.reason) == [reason, reason])
    }

    @Test("A link of an inactive module fails with the module's reason; unknown links have none")
    func reasonAgainstLink() async throws {
        try write(manifestJSON("B", requires: #"{"A": "*"}"#, screens: #"{"b/:id": "One b"}"#), to: "libB.so")

        let runtime = await start(HostConfiguration.Module(name: "B"), HostConfiguration.Module(name: "Lost"))

        #expect(
            runtime.reasonAgainst(["b", "1"]) { $0 == "b/:id" }?.message
                == "Module 'B' is not active: it requires A *, which is not installed.")
        #expect(
            runtime.reasonAgainst(["lost", "1"]) { _ in false }?.message.hasPrefix("Module 'Lost'") == true)
        #expect(runtime.reasonAgainst(["b"]) { _ in false } == nil)
    }
}
