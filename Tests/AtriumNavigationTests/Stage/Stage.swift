@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNavigation

/// A coordinator whose screens and guards a test controls.
@MainActor
final class Stage {
    let director: Director
    let coordinator: Coordinator
    let container: Container
    let screens: ScreenTable
    private var modules: [String: ModuleScope] = [:]

    init(
        _ state: NavigationState = NavigationState(), director: Director = Director(),
        modules: [String] = ["Places", "Pickers", "Guards"]
    ) throws {
        self.director = director
        let house = try House(rooms: 0)
        container = house.container
        screens = house.screens
        coordinator = house.coordinator(state)
        for module in modules { try add(module) }
    }

    /// Values of a container hold it until it is closed.
    isolated deinit { container.close() }

    /// Adds a module and updates the coordinator as the host does.
    func add(_ module: String) throws {
        let scope = ModuleScope(
            name: module, requires: module == "Pickers" ? ["Places"] : [],
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        switch module {
        case "Guards": addGuards(to: registry)
        case "Pickers": addScreen(Picker.self, to: registry)
        default: addPlaces(to: registry)
        }
        let change = try container.add(registry)
        try screens.add(registry.screens)
        modules[module] = scope
        coordinator.rebuildScreens(after: change)
    }

    func remove(_ module: String) throws {
        let scope = try #require(modules[module])
        modules[module] = nil
        screens.remove(module: module)
        coordinator.rebuildScreens(after: container.remove(scope))
    }

    private func addPlaces(to registry: ModuleRegistry) {
        registry.viewModel(ActorViewModel.self) {
            ActorViewModel(navigator: $0.navigator, tasks: $0.tasks)
        }
        addScreen(Spot.self, to: registry)
        addScreen(Vault.self, to: registry)
        addScreen(Crypt.self, to: registry)
        addScreen(Abyss.self, to: registry)
        addScreen(Desk.self, to: registry)
        addScreen(Office.self, to: registry)
    }

    private func addScreen<Place: Destination>(_ type: Place.Type, to registry: ModuleRegistry) {
        registry.screen(type) { [director] context in
            let viewModel: ActorViewModel = try context.viewModel()
            viewModel.link = try context.destination.link().description
            director.note("build \(viewModel.link)")
            try director.builds[viewModel.link]?(viewModel)
            return ActorView(viewModel: viewModel, director: director)
        }
    }

    private func addGuards(to registry: ModuleRegistry) {
        // `order` decides, not the order of registration.
        for (name, order) in [(GuardName.curator, 2), (.member, 1), (.everywhere, 0)] {
            registry.contribute(to: .guards, order: order) { [director] _ in
                if director.guardsFail { throw Director.Mishap() }
                return NavigationGuard(
                    name, "It is allowed", reach: name == .everywhere ? .everyScreen : .screensThatAsk
                ) { try await director.decide(name, $0) }
            }
        }
    }

    /// Simulates a restart: encodes the archived state as JSON and restores it with new objects.
    func restarted() throws -> Stage {
        let archived = try StateCoding.encode(coordinator.archive())
        return try Stage(StateCoding.decode(NavigationState.self, from: archived), director: director)
    }

    func current() throws -> ActorViewModel {
        try #require((try coordinator.currentScreen()?.view as? ActorView)?.viewModel)
    }

    var links: [String] { coordinator.links }

    /// The recorded events, without those of the guard of every screen.
    func takeEvents() -> [String] {
        director.takeEvents().filter { !$0.hasPrefix("everywhere?") }
    }
}

/// Yields until a condition is met; fails after a fixed number of turns, so that a defect ends the test.
@MainActor
func until(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    for _ in 0..<10_000 {
        if try condition() { return }
        await Task.yield()
    }
    Issue.record("Timed out waiting until \(what).", sourceLocation: sourceLocation)
    throw Director.Mishap()
}

/// Suspends its callers until a test opens it or their task is cancelled: longer than ``until(_:_:)`` waits, so that
/// only these end the wait.
@MainActor
final class Gate {
    private(set) var arrivals = 0
    private var isOpen = false

    func open() { isOpen = true }

    func pass() async throws {
        arrivals += 1
        for _ in 0..<100_000 where !isOpen {
            try Task.checkCancellation()
            await Task.yield()
        }
        try Task.checkCancellation()
    }

    /// Waits like `pass`, but ignores cancellation.
    func passStubbornly() async {
        arrivals += 1
        for _ in 0..<100_000 where !isOpen { await Task.yield() }
    }
}
