@_spi(Host) package import AtriumKit

/// The navigation state: the stack of screens, across modules.
///
/// Owns one screen per entry, built when the entry is first shown and released when it is left. A place is
/// entered only once its guards allow it and its screen has been built and loaded: a navigation that fails
/// changes nothing. What is done to the stack is in ``NavigationState``; who asks for it and what has to happen
/// before is here:
///
/// - Coordinator+Requests: one navigation at a time, the newest wins.
/// - Coordinator+Entering: guards, building, entering; going on after a redirect.
/// - Coordinator+Leaving: objections.
/// - Coordinator+Presenting: results.
/// - Coordinator+Screens: what is shown.
/// - Coordinator+Changes: what a change of the modules means.
@MainActor
package final class Coordinator: Navigator {
    package internal(set) var state: NavigationState
    /// Whether something that is to be kept may have changed since ``archive()``.
    package internal(set) var needsArchiving = false
    /// What was asked of the stack.
    package internal(set) var journal = NavigationJournal()

    let container: Container
    let screens: ScreenTable
    let guards: GuardList
    var live: [StackEntry.ID: LiveScreen] = [:]
    /// The entries whose screen was built, but not loaded yet.
    var unloaded: Set<StackEntry.ID> = []
    /// The entries about which the guards were asked since they came back last.
    var allowed: Set<StackEntry.ID> = []
    /// How many actions run on the screens of entries.
    var busy: [StackEntry.ID: Int] = [:]
    /// The entries whose screen is built anew as soon as what runs on it has ended.
    var outdated: Set<StackEntry.ID> = []
    /// What belonged to places that were left.
    var left = LeakMonitor()
    /// Who waits for the results of presented entries.
    var waiting: [StackEntry.ID: PresentationWait] = [:]

    /// The entry that is being presented, until its presenter has taken notice.
    var presenting: StackEntry.ID?
    /// What came of entries that were dismissed before their presenter took notice.
    var endedEarly: [StackEntry.ID: PresentedResult] = [:]

    // MARK: One navigation at a time

    /// The navigation that is under way.
    var current: RunningNavigation?
    var lastNavigation = 0
    /// What was asked for from within the navigation that is under way.
    var queue: [QueuedRequest] = []
    /// Navigations that nobody waits for: the session asked for them.
    var requested: Task<Void, Never>?
    /// The navigation within which code runs.
    @TaskLocal static var running: Int?

    // MARK: The world around

    /// Loads the module that has a link, or a place, where it is loaded when it is first needed; answers
    /// whether it did.
    package var loadOnDemand: (@MainActor (OnDemandRequest) async throws -> Bool)?
    /// Whether a module is loaded when it is first needed.
    package var isOnDemand: (@MainActor (String) -> Bool)?
    /// The patterns of screens that are not loaded yet, for who mistypes one.
    package var unloadedPatterns: (@MainActor () -> [String])?
    /// Takes what goes wrong in navigations that nobody waits for.
    package var reportError: (@MainActor (any Error) -> Void)?
    /// Told after each operation on the stack, by whoever watches it.
    package var didMove: (@MainActor () -> Void)?
    /// The session that mirrors the places; nil for a stack that only looks at a place.
    var session: SessionManager?
    /// The stack of the person, on which something is presented that a look at a place wants to present.
    weak var main: Coordinator?

    /// What may have to be loaded first.
    package enum OnDemandRequest: Sendable {
        case link(Link)
        case module(String)
    }

    package init(container: Container, screens: ScreenTable, state: NavigationState = NavigationState()) {
        self.container = container
        self.screens = screens
        self.state = state
        guards = GuardList(container)
    }

    private init(lookingFrom main: Coordinator) {
        container = main.container
        screens = main.screens
        guards = main.guards
        state = NavigationState()
        self.main = main
        loadOnDemand = main.loadOnDemand
        unloadedPatterns = main.unloadedPatterns
    }

    /// A coordinator with an empty stack over the same screens, for looking at a place from anywhere.
    package func detached() -> Coordinator {
        Coordinator(lookingFrom: self)
    }

    /// The current place; nil at the root.
    package var currentEntry: StackEntry? { state.entries.last }

    // MARK: - Keeping

    /// Notes that a view model's state may have changed.
    package func stateMayHaveChanged() {
        if !state.entries.isEmpty { needsArchiving = true }
    }

    /// The stack with the saved state of every view model, to be kept for the next process.
    ///
    /// - Throws: What keeps a view model's state, or a destination, from being expressed as JSON.
    package func archive() throws -> NavigationState {
        for id in live.keys { try keepState(of: id) }
        needsArchiving = false
        return state
    }

    func keepState(of id: StackEntry.ID) throws {
        guard let live = live[id], unloaded.isEmpty || !unloaded.contains(id) else { return }
        var saved: [String: String] = [:]
        for viewModel in live.screen.viewModels {
            if let state = try viewModel.saveState() { saved[viewModel.name] = state }
        }
        state.update(id) { if !saved.isEmpty || !$0.state.isEmpty { $0.state = saved } }
    }

    // MARK: - Carrying out

    /// Changes the stack and lets go of what leaves.
    @discardableResult
    func carryOut(_ operation: NavigationState.Operation) -> NavigationState.Transition {
        // What may be returned to keeps its state.
        if case .back = operation, let currentEntry { try? keepState(of: currentEntry.id) }
        let transition = state.apply(operation)
        for entry in transition.destroyed { letGo(of: entry) }
        if !transition.created.isEmpty || !transition.destroyed.isEmpty {
            needsArchiving = true
            session?.navigationDidChange()
        }
        didMove?()
        return transition
    }

    private func letGo(of entry: StackEntry) {
        if let live = live.removeValue(forKey: entry.id) {
            live.screen.entry.leave()
            left.watch(live.screen.entry, of: entry.link)
        }
        if !unloaded.isEmpty { unloaded.remove(entry.id) }
        if !outdated.isEmpty { outdated.remove(entry.id) }
        allowed.remove(entry.id)
        if entry.presentation != nil { end(entry, .cancelled) }
    }

    // MARK: - Leaks

    /// What is still there although the place that it was made for was left.
    package var leaks: [Leak] { left.leaks }

    /// The same, each only once; what a command that still runs holds is not a leak yet.
    package func takeNewLeaks() -> [Leak] { left.takeNew() }
}

/// A screen of the stack, and the identity of the destination type that it was built for.
@MainActor
struct LiveScreen {
    let screen: Screen
    let destination: ObjectIdentifier
}
