@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumNavigation

@testable import AtriumCommands
@testable import AtriumModules

// A module with all layers, for tests to add to a ``TestHost``.

protocol Stove: Sendable {}

struct ElectricStove: Stove {}

final class RecipeRepository {
    init(stove: any Stove) {}
}

final class Menu {
    init(recipes: RecipeRepository) {}
}

final class MenuViewModel: ViewModel {
    init(menu: Menu) {}
}

struct MenuView: View {
    let viewModel: MenuViewModel

    var body: Content { Title("Menu") }
}

struct MenuPlace: Destination {
    static let pattern: LinkPattern = "menu"
}

@MainActor
enum Kitchen {
    static func registerStove(in registry: ModuleRegistry) {
        registry.service(
            (any Stove).self, live: .unavailable, local: { _ in ElectricStove() },
            mock: { _ in ElectricStove() })
    }

    /// Registers everything except the stove.
    static func registerUpperLayers(in registry: ModuleRegistry) {
        registry.repository(RecipeRepository.self) { RecipeRepository(stove: try $0.service()) }
        registry.aggregateModel(Menu.self) { Menu(recipes: try $0.repository()) }
        registry.viewModel(MenuViewModel.self) { MenuViewModel(menu: try $0.aggregateModel()) }
        registry.screen(MenuPlace.self) { MenuView(viewModel: try $0.viewModel()) }
    }

    static func register(in registry: ModuleRegistry) {
        registerStove(in: registry)
        registerUpperLayers(in: registry)
    }
}

extension TestHost {
    /// Adds a module `name` that registers with `register`.
    func add(
        _ name: String, requires: Set<String> = [], proxies: [ServiceProxy] = [],
        _ register: (ModuleRegistry) -> Void
    ) throws {
        let silent = SilentAnalytics()
        let scope = ModuleScope(
            name: name, requires: requires,
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: silent, logger: Logger(module: name, sink: silent),
                analytics: silent, configuration: Configuration([:]), mocks: host.mocks, calls: host.calls))
        let registry = ModuleRegistry(scope: scope, proxies: proxies)
        register(registry)
        try host.runtime.container.add(registry)
        try host.screens.add(registry.screens)
    }
}
