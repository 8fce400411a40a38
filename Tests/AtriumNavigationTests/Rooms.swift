@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumTesting

// A small application for the coordinator to navigate.

struct Lobby: Destination {
    static let pattern: LinkPattern = "lobby"
}

struct Room: Destination {
    static let pattern: LinkPattern = "rooms/:number"
    static let name = "room"
    let number: Int
    var light = "on"
}

/// The destination of ``Room`` in a later version of its module.
struct BrightRoom: Destination {
    static let pattern: LinkPattern = "rooms/:number"
    static let name = "room"
    static let version = 2
    let number: Int
    let light: String
}

struct Cellar: Destination {
    static let pattern: LinkPattern = "cellar"
}

struct Unregistered: Destination {
    static let pattern: LinkPattern = "nowhere"
}

final class RoomViewModel: ViewModel {
    struct SavedState: Codable {
        var visitors: Int
    }

    let navigator: any Navigator
    var visitors = 0
    var restoredBeforeLoad = false
    var loads = 0

    init(navigator: any Navigator) {
        self.navigator = navigator
    }

    var savedState: SavedState { SavedState(visitors: visitors) }

    func restore(_ state: SavedState) {
        visitors = state.visitors
        restoredBeforeLoad = loads == 0
    }
}

struct RoomView: View {
    let viewModel: RoomViewModel

    var body: Content { Title("Room") }

    func load() async throws {
        viewModel.loads += 1
    }
}

struct LobbyView: View {
    var body: Content { Title("Lobby") }
}

/// A view whose load a door allows or refuses.
struct CellarView: View {
    let door: Door

    var body: Content { Title("Cellar") }

    func load() async throws {
        try await door.pass()
    }
}

/// Allows or refuses to pass, as a test sets it.
@MainActor
final class Door {
    struct Locked: Error {}

    var isLocked = false
    var whilePassing: @MainActor () async -> Void = {}

    func pass() async throws {
        await whilePassing()
        if isLocked { throw Locked() }
    }
}

struct UnusedDatabase: Database {
    struct Reached: Error {}

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }
}

/// The screens of a house, in a container of their own.
@MainActor
final class House {
    let container = Container(environment: .mock)
    let screens = ScreenTable()
    let door = Door()

    /// A house with version `rooms` of module Rooms, or without it if 0.
    init(rooms: Int = 1) throws {
        try add("House") { [door] registry in
            registry.screen(Lobby.self) { _ in LobbyView() }
            registry.screen(Cellar.self) { _ in CellarView(door: door) }
        }
        if rooms > 0 { try addRooms(version: rooms) }
    }

    func addRooms(version: Int = 1) throws {
        try add("Rooms") { registry in
            registry.viewModel(RoomViewModel.self) { RoomViewModel(navigator: $0.navigator) }
            if version == 1 {
                registry.screen(Room.self) { RoomView(viewModel: try $0.viewModel()) }
            } else {
                registry.screen(BrightRoom.self) { RoomView(viewModel: try $0.viewModel()) }
            }
        }
    }

    func add(_ module: String, _ register: (ModuleRegistry) -> Void) throws {
        let registry = House.registry(module, register)
        try container.add(registry)
        try screens.add(registry.screens)
    }

    static func registry(_ module: String, _ register: (ModuleRegistry) -> Void) -> ModuleRegistry {
        let scope = ModuleScope(
            name: module,
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        register(registry)
        return registry
    }

    func coordinator(_ state: NavigationState = NavigationState()) -> Coordinator {
        Coordinator(container: container, screens: screens, state: state)
    }
}

extension Coordinator {
    /// The links of the stack, bottom first.
    var links: [String] { state.entries.map(\.link) }

    /// The current view model, if it is that of a room.
    func room() throws -> RoomViewModel? {
        (try currentScreen()?.view as? RoomView)?.viewModel
    }
}
