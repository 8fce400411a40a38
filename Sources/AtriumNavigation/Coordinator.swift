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
    private var live: [StackEntry.ID: LiveScreen] = [:]
    /// The entries whose screen was built, but not loaded yet.
    private var unloaded: Set<StackEntry.ID> = []
    /// How many actions run on the screens of entries.
    private var busy: [StackEntry.ID: Int] = [:]
    /// The entries whose screen is built anew as soon as what runs on it has ended.
    private var outdated: Set<StackEntry.ID> = []
    /// What belonged to places that were left.
    private var left = LeakMonitor()
    private lazy var navigator = EntryNavigator(self)
    /// Loads the module that has a link, or a place, where it is loaded when it is first wanted; answers
    /// whether it did.
    package var wake: (@MainActor (Wanted) async throws -> Bool)?

    /// The patterns of screens that are not loaded yet, for who mistypes one.
    package var moreLinks: (@MainActor () -> [String])?

    /// What may have to be loaded first.
    package enum Wanted: Sendable {
        case link(Link)
        case module(String)
    }

    package init(container: Container, screens: ScreenTable, state: NavigationState = NavigationState()) {
        self.container = container
        self.screens = screens
        self.state = state
    }

    /// A coordinator with an empty stack over the same screens, for looking at a place from anywhere.
    package func detached() -> Coordinator {
        let detached = Coordinator(container: container, screens: screens)
        detached.wake = wake
        detached.moreLinks = moreLinks
        return detached
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
        var visit = try prepare(link)
        if visit == nil, try await wake?(.link(link)) == true { visit = try prepare(link) }
        guard let visit else {
            throw NavigationError.unknownLink(
                link, patterns: screens.all.map(\.pattern.description) + (moreLinks?() ?? []))
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
        live[entry.id] = LiveScreen(screen: visit.screen, destination: registration.destinationType)
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
            if let live = live.removeValue(forKey: entry.id) { left.watch(live.screen.entry, of: entry.link) }
            unloaded.remove(entry.id)
            outdated.remove(entry.id)
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
        if let live = live[entry.id] { return live.screen }
        let built = try rebuild(entry)
        live[entry.id] = built
        unloaded.insert(entry.id)
        return built.screen
    }

    /// The screen of the current place, loaded where it was not, or where `again` asks for it; nil at the root.
    package func loadedScreen(again: Bool = false) async throws -> Screen? {
        try await wakeCurrent()
        guard let entry = current, let screen = try currentScreen() else { return nil }
        if again || unloaded.contains(entry.id) {
            try await screen.view.load()
            unloaded.remove(entry.id)
        }
        return screen
    }

    /// Loads the module of the current place, where it is loaded when it is first wanted.
    package func wakeCurrent() async throws {
        guard let wake, let entry = current, live[entry.id] == nil, screens.screen(of: entry) == nil else {
            return
        }
        _ = try await wake(.module(entry.module))
    }

    private func rebuild(_ entry: StackEntry) throws -> LiveScreen {
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
        return LiveScreen(screen: screen, destination: registration.destinationType)
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
        for id in live.keys { try keepState(of: id) }
        needsArchiving = false
        return state
    }

    private func keepState(of id: StackEntry.ID) throws {
        guard let live = live[id], !unloaded.contains(id) else { return }
        var saved: [String: String] = [:]
        for viewModel in live.screen.viewModels {
            if let state = try viewModel.saveState() { saved[viewModel.name] = state }
        }
        state.keep(saved, of: id)
    }
}

/// A screen of the stack, and the identity of the destination type that it was built for.
@MainActor
private struct LiveScreen {
    let screen: Screen
    let destination: ObjectIdentifier
}

extension Coordinator {
    /// The places whose screens hold something of what a change of the container exchanges.
    package func entries(affectedBy change: ContainerChange) -> [StackEntry] {
        let screens = Set(
            (change.changed + change.affected).filter { $0.layer == .screen }.map {
                ObjectIdentifier($0.type)
            })
        return state.entries.filter { entry in
            live[entry.id].map { screens.contains($0.destination) } ?? false
        }
    }

    /// Builds the screens anew that hold something of what was exchanged, with their saved state, when they
    /// are next shown; those on which an action runs, when that has ended.
    package func renew(after change: ContainerChange) {
        for entry in entries(affectedBy: change) {
            if busy[entry.id] == nil { letGo(entry.id) } else { outdated.insert(entry.id) }
        }
    }

    /// Runs an action on the screen of the current place, which stays the same until the action has ended.
    package func working<Result>(_ action: () async throws -> Result) async rethrows -> Result {
        guard let id = current?.id else { return try await action() }
        busy[id, default: 0] += 1
        defer {
            busy[id] = busy[id].flatMap { $0 > 1 ? $0 - 1 : nil }
            if busy[id] == nil, outdated.remove(id) != nil { letGo(id) }
        }
        return try await action()
    }

    /// Keeps what is to be kept of a screen, and lets go of it.
    private func letGo(_ id: StackEntry.ID) {
        try? keepState(of: id)
        guard let live = live.removeValue(forKey: id) else { return }
        unloaded.remove(id)
        needsArchiving = true
        let link = state.entries.first { $0.id == id }?.link ?? ""
        left.watch(live.screen.entry, of: link)
    }
}

/// A screen that was built for a link and not entered yet.
@MainActor
package struct Visit {
    package let screen: Screen
    let destination: any Destination
    let registration: ScreenRegistration
}
