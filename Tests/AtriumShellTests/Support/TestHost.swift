@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumModules
@testable import AtriumRepositories
@testable import AtriumText

/// A host with the module Shop and its interpreter.
@MainActor
final class TestHost {
    let log = ShopLog()
    let interpreter: Interpreter
    let coordinator: Coordinator
    let host: ShellHost
    let scene: Scene
    private let site: TestSite

    private static let manifest = """
        {"name": "Shop", "version": "1.2.3", "entry": "ShopModule", "summary": "Sells items",
         "screens": {"items": "All items", "items/:id": "One item", "fair": "The fair"},
         "sdk": "0.2.0", "inlinedLayout": "2", "compiler": "6.3.1"}
        """

    init(
        environment: Environment = .mock, state: NavigationState = NavigationState(),
        repositories: Repositories = Repositories()
    ) throws {
        site = TestSite(environment: environment)
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "Shop"), HostConfiguration.Module(name: "Idle")],
            searchPaths: [], storeFolder: "", site: site)
        runtime.modules[0].manifest = try ModuleManifest(json: Array(Self.manifest.utf8), file: "module.json")
        runtime.modules[0].state = .active
        runtime.modules[1].state = .waiting("it requires Shop ^2.0.0, but Shop is 1.2.3.")
        host = ShellHost(
            screens: site.screens, stacks: StackList(), runtime: runtime,
            changes: ModuleManager(runtime, repositories: repositories), environment: environment,
            mocks: MockDirector(clock: SilentAnalytics()))
        scene = host.beginScene("test", state: state)
        coordinator = scene.coordinator
        try Self.register(on: site, log)
        interpreter = Interpreter(scene: scene)
    }

    // A host keeps its scenes, and they their host, and a container what is built in it.
    isolated deinit {
        host.end(scene)
        site.container.close()
    }

    private static func register(on site: TestSite, _ log: ShopLog) throws {
        let silent = SilentAnalytics()
        let scope = ModuleScope(
            name: "Shop",
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: silent, logger: Logger(module: "Shop", sink: silent),
                analytics: silent, configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        registry.screen(ItemList.self) { _ in ItemListView(log: log) }
        registry.screen(ItemDetail.self) { ItemDetailView(id: $0.destination.id, log: log) }
        registry.screen(Fair.self) { _ in FairView() }
        try site.container.add(registry)
        try site.add(registry.screens)
    }

    /// The links of the stack, bottom first.
    var stack: [String] { coordinator.state.entries.map(\.link) }

    /// Runs one command.
    func run(_ line: String) async throws -> Reply {
        await interpreter.run(try Lexer.commands(in: line)[0])
    }

    /// Runs a command, and returns its output.
    func output(_ line: String) async throws -> Reply.Output {
        switch try await run(line).outcome {
        case .done(let output): return output
        case .failed(let error): throw error
        }
    }

    /// Runs a command, and returns its content as JSON.
    func json(_ line: String) async throws -> String {
        JSONValue.object(try await output(line).content?.json ?? JSONObject()).serialized
    }

    /// Runs a command, and returns its error.
    func failure(_ line: String) async throws -> (any ExplainedError)? {
        guard case .failed(let error) = try await run(line).outcome else { return nil }
        return error
    }
}
