@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Infrastructure provided by modules")
@MainActor
struct InfrastructureTests {
    private struct NoTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 204) }

        func download(
            _ request: HTTPRequest, to path: String,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws -> HTTPResponse { HTTPResponse(status: 204) }
    }

    private final class Carrier: FeatureModule {
        func register(in registry: ModuleRegistry) throws {
            registry.infrastructure((any HTTPTransport).self) { _ in NoTransport() }
        }
    }

    private final class Idle: FeatureModule {
        func register(in registry: ModuleRegistry) throws {}
    }

    private func manifest(providing names: String) throws -> ModuleManifest {
        try AtriumRuntimeTests.manifest(
            manifestJSON("Carrier").replacing("{\"name\"", with: "{\"provides\": [\(names)], \"name\""))
    }

    private func register(_ module: any FeatureModule, providing names: String) throws -> ModuleRegistry {
        try Generation.register(
            module, as: ModuleScope(name: "Carrier", infrastructure: .none), manifest(providing: names))
    }

    private func runtime(_ state: ModuleState? = nil) throws -> ModuleRuntime {
        let site = EmptySite()
        sites.append(site)
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "Carrier")], searchPaths: [], storeFolder: "",
            site: site)
        if let state {
            runtime.modules[0].manifest = try manifest(providing: "\"HTTPTransport\"")
            runtime.modules[0].state = state
        }
        return runtime
    }

    /// The runtime doesn't retain its site.
    private let sites = Sites()

    @MainActor
    private final class Sites {
        private var sites: [EmptySite] = []
        func append(_ site: EmptySite) { sites.append(site) }
    }

    private func refusal(_ state: ModuleState?) async throws -> ModuleError? {
        let runtime = try runtime(state)
        return await #expect(throws: ModuleError.self) { try await runtime.loadProvider(of: "HTTPTransport") }
    }

    // MARK: - Registration

    @Test("A type that the manifest declares and the module registers is infrastructure")
    func declared() throws {
        let registry = try register(Carrier(), providing: "\"HTTPTransport\"")

        #expect(registry.infrastructureNames == ["HTTPTransport"])
    }

    @Test("Infrastructure that the manifest does not declare is an error that names module and type")
    func undeclared() {
        let error = #expect(throws: ModuleError.self) { try register(Carrier(), providing: "") }

        #expect(error?.code == .notDeclared)
        #expect(
            error?.message
                == "Module 'Carrier' registers 'HTTPTransport' as infrastructure, which its manifest does not "
                + "declare.")
        #expect(error?.hint == "Add \"HTTPTransport\" to \"provides\" in module.json.")
    }

    @Test("Declared infrastructure that is not registered is an error that names module and type")
    func unregistered() {
        let error = #expect(throws: ModuleError.self) { try register(Idle(), providing: "\"HTTPTransport\"") }

        #expect(error?.code == .notProvided)
        #expect(
            error?.message
                == "Module 'Carrier' declares that it provides 'HTTPTransport', which it does not register.")
    }

    // MARK: - Providing

    @Test("A type that no module provides is an error")
    func nobody() async throws {
        let error = try await refusal(nil)

        #expect(error?.message == "No module provides HTTPTransport.")
        #expect(error?.hint == "Add a module that provides it to modules.json.")
    }

    @Test("If the providing module is inactive, the error gives its reason")
    func inactive() async throws {
        let failed = try await refusal(.failed(ModuleError.cycle(["A", "A"])))
        let quarantined = try await refusal(.quarantined("It crashed twice."))

        #expect(
            failed?.message
                == "No module provides HTTPTransport now: Module 'Carrier' is not active: Dependency cycle: "
                + "A → A.")
        #expect(failed?.hint == "why Carrier")
        #expect(
            quarantined?.message
                == "No module provides HTTPTransport now: Module 'Carrier' is not active: It crashed twice.")
        #expect(quarantined?.hint == "module start Carrier")
    }

    @Test("If the provider can't be loaded on demand, the error gives the cause")
    func unloadable() async throws {
        let runtime = try runtime(.resolved)
        runtime.modules[0].manifest = try AtriumRuntimeTests.manifest(
            manifestJSON("Carrier").replacing(
                "{\"name\"",
                with: "{\"provides\": [\"HTTPTransport\"], \"activation\": \"onDemand\", \"name\""))

        let error = await #expect(throws: ModuleError.self) {
            try await runtime.loadProvider(of: "HTTPTransport")
        }

        #expect(error?.code == .libraryNotFound)
        #expect(
            error?.message.hasPrefix(
                "Module 'Carrier', which provides HTTPTransport, could not be loaded: There is no library "
                    + "'libCarrier.so'") == true)
        #expect(error?.hint != nil)
    }

    @Test("An active module's infrastructure is resolved")
    func active() async throws {
        let site = EmptySite()
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "Carrier")], searchPaths: [], storeFolder: "", site: site
        )
        runtime.modules[0].manifest = try manifest(providing: "\"HTTPTransport\"")
        runtime.modules[0].state = .active
        try site.container.add(register(Carrier(), providing: "\"HTTPTransport\""))

        let transport = try await runtime.infrastructure((any HTTPTransport).self)

        #expect(try await transport.send(HTTPRequest(.get, "http://host/")).status == 204)
    }
}
