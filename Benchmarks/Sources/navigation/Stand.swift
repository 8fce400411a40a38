@_spi(Host) import AtriumKit
import AtriumNavigation
import BenchSupport

/// A coordinator over the screens of Destinations.swift.
@MainActor
final class Stand {
    let container = Container(environment: .mock)
    let screens = ScreenTable()
    let coordinator: Coordinator
    private let nowhere = StationaryNavigator()
    private var registrations: [ObjectIdentifier: ScreenRegistration] = [:]

    /// - Parameters:
    ///   - patterns: The number of other patterns.
    ///   - state: The stack.
    /// - Throws: Any error of the container or the screen table.
    init(patterns: Int = 0, state: NavigationState = NavigationState()) throws {
        coordinator = Coordinator(container: container, screens: screens, state: state)
        try add("Sales") { registry in
            registry.service(
                SaleService.self, lifetime: .transient, live: .unavailable, local: { _ in SaleService() },
                mock: { _ in SaleService() })
            registry.repository(SaleRepository.self, lifetime: .transient) {
                SaleRepository(service: try $0.service())
            }
            registry.viewModel(SaleViewModel.self) {
                SaleViewModel(repository: try $0.repository(), navigator: $0.navigator)
            }
            registry.viewModel(PlainViewModel.self) { PlainViewModel(repository: try $0.repository()) }
            registry.screen(SaleDestination.self) { SaleView(viewModel: try $0.viewModel()) }
            registry.screen(PlainDestination.self) { PlainView(viewModel: try $0.viewModel()) }
            registry.screen(GuardedDestination.self) { PlainView(viewModel: try $0.viewModel()) }
            registry.contribute(to: .guards) { _ in
                NavigationGuard(.signedIn, "Somebody is signed in") { _ in .allow }
            }
        }
        for first in stride(from: 0, to: patterns, by: 100) {
            try add("Fillers\(first / 100)") { registry in
                for number in first..<min(first + 100, patterns) { Fillers.register(number, in: registry) }
            }
        }
    }

    private func add(_ name: String, _ register: (ModuleRegistry) -> Void) throws {
        let registry = ModuleRegistry(
            scope: ModuleScope(name: name, requires: [], infrastructure: noInfrastructure))
        register(registry)
        try container.add(registry)
        try screens.add(registry.screens)
        for screen in registry.screens { registrations[screen.destinationType] = screen }
    }

    /// Builds the screen of a destination and releases it.
    func build(_ destination: some Destination) throws -> Int {
        let screen = try registrations[ObjectIdentifier(type(of: destination))]!
            .build(destination, in: container, navigator: nowhere)
        return screen.viewModels.count
    }

    /// Pushes destinations.
    func fill(_ count: Int) async throws {
        for number in 0..<count { try await coordinator.push(SaleDestination(id: number)) }
    }
}
