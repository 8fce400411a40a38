@_spi(Host) package import AtriumKit

/// Owns the navigation state: one stack of screens, across modules.
///
/// Keeps one screen per stack entry, builds it when the entry is first shown, and releases it when the entry
/// leaves. A new entry is put on the stack only after its guards have allowed it and its screen is built and
/// loaded, so a navigation that fails changes nothing. ``NavigationState`` holds the pure operations on the
/// stack.
///
/// One navigation runs at a time, and a newer one cancels it:
///
/// - Coordinator+Entering: finding a route, asking guards, building and loading a screen, resuming intents.
/// - Coordinator+Leaving: objections, and operations that build nothing.
/// - Coordinator+Presenting: presented entries and their results.
/// - Coordinator+Waiting: links that no module has yet.
/// - Coordinator+State: saving and restoring the state of view models, and state that does not fit.
/// - Coordinator+Screens: the screen of the current entry, and the effect of module changes on screens.
@MainActor
package final class Coordinator: StackNavigator {
    package internal(set) var state: NavigationState
    package internal(set) var needsArchiving = false

    let container: Container
    let screens: ScreenTable
    /// The size that screens are laid out for.
    package let viewport: ViewportMonitor
    private(set) var guards: GuardList
    var live: [StackEntry.ID: LiveScreen] = [:]
    /// The entries with a screen that is built but not loaded.
    var unloaded: Set<StackEntry.ID> = []
    /// The entries whose guards allowed them since they last became current.
    var allowed: Set<StackEntry.ID> = []
    /// The number of running actions, by entry.
    var busy: [StackEntry.ID: Int] = [:]
    /// The entries to rebuild once their actions have ended.
    var outdated: Set<StackEntry.ID> = []
    var leakMonitor = LeakMonitor()
    /// The last reported message of each part that can't be saved.
    var unsaved: [UnsavedPart: String] = [:]
    var waiting: [StackEntry.ID: PresentationWait] = [:]

    /// The entry just presented, until its presenter begins to wait.
    var presenting: StackEntry.ID?
    /// The results of entries that were dismissed before their presenter began to wait.
    var earlyResults: [StackEntry.ID: PresentedResult] = [:]
    /// The questions removed without an answer, until they are reported.
    var leftQuestions: [String] = []

    // MARK: One navigation at a time

    var current: RunningNavigation?
    /// The requests made by code within the current navigation.
    var queue: [QueuedRequest] = []
    /// The last navigation requested by the session.
    var requested: Task<Void, Never>?
    /// The navigation that the current code runs in.
    @TaskLocal static var running: RunningNavigation?
    /// Called around module code that does not wait: with the words to follow "while", then with nil.
    package static var notePhase: @MainActor (StaticString?) -> Void = { _ in }
    /// The longest wait for a guard, in coordinators that are created from now on.
    package static var stepLimit = Duration.seconds(10)

    // MARK: The host

    /// Loads the module of a link or a stack entry if it is activated on demand; returns whether it did.
    package var loadOnDemand: (@MainActor (OnDemandRequest) async throws -> Bool)?
    /// Returns whether a module is activated on demand.
    package var isOnDemand: (@MainActor (String) -> Bool)?
    /// Returns the reason why an active module does not have the screen of a link now; nil if there is none.
    package var reasonOfAbsence: (@MainActor (Link) -> (any ExplainedError)?)?
    /// Returns the link patterns of modules that are not loaded yet, for suggestions.
    package var unloadedPatterns: (@MainActor () -> [String])?
    /// Receives the errors of navigations requested by the session.
    package var reportError: (@MainActor (any Error) -> Void)?
    /// Dates waiting links; without it they never expire.
    package var clock: (any WallClock)?
    /// Called after each operation on the stack.
    package var didMove: (@MainActor () -> Void)?
    /// The session that mirrors the stack; nil for a preview.
    var session: SessionManager?
    /// The user's stack, on which a preview presents.
    weak var main: Coordinator?

    /// A link or module that may have to be loaded on demand.
    package enum OnDemandRequest: Sendable {
        case link(Link)
        case module(String)
    }

    /// Creates a coordinator; without a viewport, it uses the container's.
    package init(
        container: Container, screens: ScreenTable, state: NavigationState = NavigationState(),
        viewport: ViewportMonitor? = nil
    ) {
        self.container = container
        self.screens = screens
        self.viewport = viewport ?? container.viewport
        self.state = state
        guards = GuardList(container)
    }

    /// Returns a coordinator with an empty stack over the same screens, for a preview.
    package func detached() -> Coordinator {
        let preview = Coordinator(container: container, screens: screens, viewport: viewport)
        preview.guards = guards
        preview.main = self
        preview.loadOnDemand = loadOnDemand
        preview.unloadedPatterns = unloadedPatterns
        return preview
    }

    package var currentEntry: StackEntry? { state.entries.last }

    // MARK: - Requests

    /// Performs a request on the stack.
    ///
    /// Cancels the navigation under way. A request from within a navigation is queued, runs after it, and
    /// returns at once.
    ///
    /// - Throws: ``NavigationError``, an error of building or loading the screen, or `CancellationError`
    ///   after a newer request; the stack is unchanged.
    @discardableResult
    package func navigate(_ request: NavigationRequest) async throws -> Arrival {
        try await navigate(QueuedRequest(request))
    }

    func navigate(_ queued: QueuedRequest) async throws -> Arrival {
        if isWithinNavigation {
            queue.append(queued)
            return Arrival()
        }
        try cancelCurrent()
        if let arrival = try leaveAtOnce(queued.request) { return arrival }
        let navigation = RunningNavigation()
        current = navigation
        // A separate task lets a newer navigation cancel this one without cancelling its caller. Most
        // navigations end before they suspend, and then need no cancellation handler.
        let task = Self.$running.withValue(navigation) {
            Task.immediate { [self] in try await run(queued, as: navigation) }
        }
        guard !navigation.hasEnded else { return try await task.value }
        navigation.task = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// True if the current code was called by the current navigation.
    var isWithinNavigation: Bool { current != nil && current === Self.running }

    private func cancelCurrent() throws {
        try Task.checkCancellation()
        current?.cancel()
        current = nil
    }

    /// Performs a request that builds nothing, without suspending; returns nil for others.
    private func leaveAtOnce(_ request: NavigationRequest) throws -> Arrival? {
        guard let operation = try operationWithoutBuilding(request) else { return nil }
        return try leave(by: operation, request)
    }

    private func run(_ queued: QueuedRequest, as navigation: RunningNavigation) async throws -> Arrival {
        defer {
            navigation.hasEnded = true
            // Later requests are separate navigations, also from tasks that began within this one.
            if current === navigation { current = nil }
        }
        queue = []
        // Decided here because each call that may suspend costs time, and most requests enter one screen.
        let arrival = try await queued.entersOneScreen ? enter(queued) : perform(queued)
        if !queue.isEmpty { try await runQueue(of: navigation) }
        return arrival
    }

    private func runQueue(of navigation: RunningNavigation) async throws {
        var path: [String] = []
        while current === navigation, !queue.isEmpty {
            let next = queue.removeFirst()
            path.append(next.request.description)
            guard path.count <= GuardEvaluator.limit else { throw NavigationError.tooManyRedirects(path) }
            _ = try await perform(next)
        }
    }

    private func perform(_ queued: QueuedRequest) async throws -> Arrival {
        if queued.entersOneScreen { return try await enter(queued) }
        if queued.request.operation == .replaceAll { return try await replaceAll(queued.request) }
        guard let operation = try operationWithoutBuilding(queued.request) else { return Arrival() }
        return try leave(by: operation, queued.request)
    }

    /// The operation of a request that enters no new screen; nil for others.
    private func operationWithoutBuilding(
        _ request: NavigationRequest
    ) throws -> NavigationState.Operation? {
        switch request.operation {
        case .back: return operationOfBack
        case .leave: return currentEntry.map { .remove($0.id) } ?? .back
        case .forward: return .forward
        case .root: return .root
        case .dismiss: return .dismiss
        case .popTo: return .pop(to: try entry(request.link ?? ""))
        case .reveal: return request.entry.map { .pop(to: $0) }
        case .push, .replace, .replaceAll, .present, .bringToFront: return nil
        }
    }

    private func entry(_ link: String) throws -> StackEntry.ID {
        guard let entry = state.entries.last(where: { $0.link == link }) else {
            throw NavigationError.notOnStack(link)
        }
        return entry.id
    }

    /// Applies an operation to the stack and releases the screens of entries that leave.
    @discardableResult
    func apply(_ operation: NavigationState.Operation) -> NavigationState.Transition {
        // Only entries that can come back keep their state.
        if case .back = operation, let currentEntry { saveState(of: currentEntry.id) }
        let transition = state.apply(operation)
        for entry in transition.destroyed { release(entry) }
        if !transition.isEmpty {
            needsArchiving = true
            session?.navigationDidChange(self)
        }
        didMove?()
        return transition
    }

    private func release(_ entry: StackEntry) {
        if let live = live.removeValue(forKey: entry.id) {
            live.screen.entry.leave()
            leakMonitor.watch(live.screen.entry, of: entry.link)
        }
        if !unloaded.isEmpty { unloaded.remove(entry.id) }
        if !outdated.isEmpty { outdated.remove(entry.id) }
        allowed.remove(entry.id)
        if entry.presentation != nil { end(entry, .cancelled) }
    }

    // MARK: - Navigator

    package var coordinator: Coordinator { self }
    package var entry: StackEntry.ID? { nil }

    @discardableResult
    package func open(_ link: Link) async throws -> Arrival {
        try await navigate(.push(link.description))
    }

    func navigateWithoutBuilding(_ request: NavigationRequest) throws {
        guard !isWithinNavigation else { return queue.append(QueuedRequest(request)) }
        try cancelCurrent()
        _ = try leaveAtOnce(request)
    }
}

/// A built screen of the stack and the type of its destination.
@MainActor
struct LiveScreen {
    let screen: Screen
    let destination: ObjectIdentifier
}

/// The effect of a request on the stack.
package struct Arrival: Sendable {
    /// The entry that became current; nil if none did.
    package var entry: StackEntry.ID?
    /// The intent postponed by a guard that redirected.
    package var redirect: StackEntry.Intent?
    package var hasMoved = false
}

/// The navigation under way.
@MainActor
final class RunningNavigation {
    var hasEnded = false
    private var isCancelled = false

    /// Nil until the navigation first suspends: until then only code that it calls can make requests.
    var task: Task<Arrival, any Error>? {
        didSet { if isCancelled { task?.cancel() } }
    }

    func cancel() {
        isCancelled = true
        task?.cancel()
    }
}

/// A request, with its destination if known.
final class QueuedRequest: Sendable {
    let request: NavigationRequest
    let destination: (any Destination)?
    /// The link, if known: making one costs more than building a small screen.
    let link: Link?
    /// True if the presenter waits for a result.
    let isAwaited: Bool
    /// The result of the guards, if already asked.
    let guardResult: GuardResult?

    init(
        _ request: NavigationRequest, _ destination: (any Destination)? = nil, link: Link? = nil,
        isAwaited: Bool = false, guardResult: GuardResult? = nil
    ) {
        self.request = request
        self.destination = destination
        self.link = link
        self.isAwaited = isAwaited
        self.guardResult = guardResult
    }

    /// True if the request may build one screen.
    var entersOneScreen: Bool {
        switch request.operation {
        case .push, .replace, .present, .bringToFront: true
        case .replaceAll, .back, .leave, .forward, .popTo, .root, .dismiss, .reveal: false
        }
    }
}
