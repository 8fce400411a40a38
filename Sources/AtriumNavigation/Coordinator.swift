@_spi(Host) package import AtriumKit

/// The navigation state: the stack of screens, across modules.
///
/// Owns one screen per entry, built when the entry is first shown and released when it is left. A place is
/// entered only once its screen has been built and loaded: a navigation that fails changes nothing.
@MainActor
package final class Coordinator: Navigator {
    package private(set) var state: NavigationState
    /// Whether something that is to be kept may have changed since ``archive()``.
    package private(set) var needsArchiving = false

    private let container: Container
    private let screens: ScreenTable
    private var live: [StackEntry.ID: Screen] = [:]
    /// The entries whose screen was built, but not loaded yet.
    private var unloaded: Set<StackEntry.ID> = []
    /// What belonged to places that were left.
    private var left = LeakMonitor()
    private lazy var navigator = EntryNavigator(self)

    package init(container: Container, screens: ScreenTable, state: NavigationState = NavigationState()) {
        self.container = container
        self.screens = screens
        self.state = state
    }

    /// A coordinator with an empty stack over the same screens, for looking at a place from anywhere.
    package func detached() -> Coordinator {
        Coordinator(container: container, screens: screens)
    }

    /// The current place; nil at the root.
    package var current: StackEntry? { state.entries.last }

    // MARK: - Operations

    package func open(_ link: String) async throws {
        try await open(Link(link))
    }

    /// Puts the place of a link on the stack.
    ///
    /// - Throws: ``NavigationError`` where no screen has the link, or what building and loading its screen
    ///   throws; the stack is then as it was.
    package func open(_ link: Link) async throws {
        guard let visit = try prepare(link) else {
            throw NavigationError.unknownLink(link, patterns: screens.all.map(\.pattern.description))
        }
        try await enter(visit)
    }

    package func push(_ destination: any Destination) async throws {
        guard let registration = screens.screen(for: destination) else {
            throw NavigationError.notRegistered(destination)
        }
        try await enter(prepare(destination, on: registration))
    }

    /// Builds the screen of a link without loading or entering it; nil where no screen has the link.
    package func prepare(_ link: Link) throws -> Visit? {
        guard let registration = screens.screen(for: link),
            let destination = try registration.destination(link)
        else { return nil }
        return try prepare(destination, on: registration)
    }

    private func prepare(_ destination: any Destination, on registration: ScreenRegistration) throws -> Visit
    {
        Visit(
            screen: try registration.build(destination, in: container, navigator: navigator),
            destination: destination, registration: registration)
    }

    /// Puts a prepared screen on the stack.
    ///
    /// - Parameters:
    ///   - visit: What was prepared.
    ///   - loading: Whether to load it before; what shows it later takes it for loaded in any case.
    /// - Throws: What loading throws; the stack is then as it was.
    package func enter(_ visit: Visit, loading: Bool = true) async throws {
        if loading { try await visit.screen.view.load() }
        try Task.checkCancellation()
        let registration = visit.registration
        let entry = StackEntry(
            id: state.nextID, module: registration.module, destination: registration.name,
            version: registration.version, link: try visit.destination.link().description,
            properties: try StateCoding.encode(visit.destination))
        live[entry.id] = visit.screen
        carryOut(.push(entry))
    }

    package func back() async throws {
        carryOut(.back)
    }

    package func root() async throws {
        carryOut(.root)
    }

    @discardableResult
    private func carryOut(_ operation: NavigationState.Operation) -> NavigationState.Transition {
        let transition = state.apply(operation)
        for entry in transition.destroyed {
            if let screen = live.removeValue(forKey: entry.id) { left.watch(screen.entry, of: entry.link) }
            unloaded.remove(entry.id)
        }
        if !transition.isEmpty { needsArchiving = true }
        return transition
    }

    // MARK: - Screens

    /// The screen of the current place, built where it was not yet; nil at the root.
    ///
    /// A screen that comes back after a restart is not loaded yet; see ``loadedScreen(again:)``.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable` where the entry's module is not active
    ///   or can't read the entry; the entry stays on the stack.
    package func currentScreen() throws -> Screen? {
        guard let entry = current else { return nil }
        if let screen = live[entry.id] { return screen }
        let screen = try rebuild(entry)
        live[entry.id] = screen
        unloaded.insert(entry.id)
        return screen
    }

    /// The screen of the current place, loaded where it was not, or where `again` asks for it; nil at the root.
    package func loadedScreen(again: Bool = false) async throws -> Screen? {
        guard let entry = current, let screen = try currentScreen() else { return nil }
        if again || unloaded.contains(entry.id) {
            try await screen.view.load()
            unloaded.remove(entry.id)
        }
        return screen
    }

    private func rebuild(_ entry: StackEntry) throws -> Screen {
        guard let registration = screens.screen(of: entry) else {
            let isActive = screens.all.contains { $0.module == entry.module }
            throw isActive ? NavigationError.unknownPlace(entry) : .unavailable(entry)
        }
        guard entry.version == registration.version,
            let destination = try? registration.decode(entry.properties)
        else { throw NavigationError.unreadable(entry, by: registration.version) }
        let screen = try registration.build(destination, in: container, navigator: navigator)
        for viewModel in screen.viewModels {
            // State that no longer fits its view model is dropped: the screen then starts fresh.
            if let saved = entry.state[viewModel.name] { try? viewModel.restoreState(saved) }
        }
        return screen
    }

    // MARK: - Leaks

    /// What is still there although the place that it was made for was left.
    package var leaks: [Leak] { left.leaks }

    /// The same, each only once; what a command that still runs holds is not a leak yet.
    package func takeNewLeaks() -> [Leak] { left.takeNew() }

    // MARK: - Keeping

    /// Notes that a view model's state may have changed.
    package func stateMayHaveChanged() {
        if !state.entries.isEmpty { needsArchiving = true }
    }

    /// The stack with the saved state of every view model, to be kept for the next process.
    package func archive() throws -> NavigationState {
        for (id, screen) in live where !unloaded.contains(id) {
            var saved: [String: String] = [:]
            for viewModel in screen.viewModels {
                if let state = try viewModel.saveState() { saved[viewModel.name] = state }
            }
            state.keep(saved, of: id)
        }
        needsArchiving = false
        return state
    }
}

/// A screen that was built for a link and not entered yet.
@MainActor
package struct Visit {
    package let screen: Screen
    let destination: any Destination
    let registration: ScreenRegistration
}
