@_spi(Host) package import AtriumKit

// The screen of the current entry.

extension Coordinator {
    /// The screen of the current entry, built on first use; nil at the root.
    ///
    /// A screen that comes back after a restart is not loaded yet; see ``loadedScreen(again:)``.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable` if the entry's module is not active or
    ///   can't read the entry; the entry stays on the stack.
    package func currentScreen() throws -> Screen? {
        guard let entry = currentEntry else { return nil }
        if let live = live[entry.id] { return live.screen }
        let built = try rebuild(entry)
        live[entry.id] = built
        unloaded.insert(entry.id)
        return built.screen
    }

    /// The screen of the current entry, loaded on first use or if `again` is set; nil at the root.
    ///
    /// Call ``evaluateCurrentGuards()`` first.
    package func loadedScreen(again: Bool = false) async throws -> Screen? {
        try await loadCurrentModule()
        guard let entry = currentEntry, let screen = try currentScreen() else { return nil }
        if again || unloaded.contains(entry.id) {
            // Leaving the entry cancels the loading.
            try await screen.entry.tasks.value("load") { try await screen.view.load() }
            unloaded.remove(entry.id)
        }
        try await deliverResults(to: screen, of: entry.id)
        return screen
    }

    /// The current screen if it is built and its guards allow it; builds and asks nothing.
    package var shownScreen: Screen? {
        currentEntry.flatMap { allowed.contains($0.id) ? live[$0.id]?.screen : nil }
    }

    /// The link that opens the current screen as ``shownScreen`` shows it; nil if it is the entry's.
    package var shownLink: String? {
        let shown = shownScreen?.viewModels.lazy.compactMap(\.shownDestination).first
        return (try? shown?.link().description).flatMap { $0 == currentEntry?.link ? nil : $0 }
    }

    /// The registration of the current screen; nil at the root, or if its module was removed.
    package var currentRegistration: ScreenRegistration? { currentEntry.flatMap(registration) }

    func registration(of entry: StackEntry) -> ScreenRegistration? {
        HostScreens.screen(of: entry) ?? screens.screen(of: entry)
    }

    /// The route of an entry, whose destination its module decodes.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable`.
    func route(of entry: StackEntry) throws -> Route {
        guard let registration = registration(of: entry) else {
            if let reason = (try? Link(entry.link)).flatMap({ reasonOfAbsence?($0) }) {
                throw NavigationError.absent(reason)
            }
            throw screens.hasScreens(of: entry.module)
                ? NavigationError.unknownScreen(entry) : .unavailable(entry)
        }
        do {
            let destination = try registration.restore(
                properties: entry.properties.json, version: entry.version)
            return try Route(destination, on: registration)
        } catch {
            throw NavigationError.unreadable(entry, error)
        }
    }

    func rebuild(_ entry: StackEntry) throws -> LiveScreen {
        let prepared = try build(route(of: entry))
        prepared.navigator.entry = entry.id
        if !entry.state.isEmpty || entry.earlier != nil {
            for viewModel in prepared.screen.viewModels { restoreState(of: viewModel, in: entry) }
        }
        return LiveScreen(
            screen: prepared.screen, destination: prepared.route.registration.destinationType)
    }

    // MARK: - Guards

    /// Asks the guards of the current entry if it has come back: after a restart, after an entry above it
    /// left, or after a sign-in or sign-out.
    ///
    /// - Returns: The redirect; nil if the entry may be shown.
    /// - Throws: ``NavigationError`` if a guard refuses; the entry stays on the stack.
    package func evaluateCurrentGuards() async throws -> Arrival? {
        guard let currentEntry, !allowed.contains(currentEntry.id) else { return nil }
        try await loadCurrentModule()
        // An entry that can't be read reports its error when shown.
        guard let route = try? route(of: currentEntry) else { return nil }
        let request = NavigationRequest(.reveal, link: currentEntry.link, entry: currentEntry.id)
        let result = try await evaluator.evaluate(route, request: request)
        guard self.currentEntry?.id == currentEntry.id else { return try await evaluateCurrentGuards() }
        guard !result.intents.isEmpty else {
            allowed.insert(currentEntry.id)
            return nil
        }
        let prepared = try await prepareAndLoad(result.route)
        guard self.currentEntry?.id == currentEntry.id else {
            prepared.screen.entry.leave()
            return try await evaluateCurrentGuards()
        }
        return enter(prepared, after: result)
    }

    /// True if the current entry, if any, may be shown without asking a guard.
    package var isCurrentAllowed: Bool {
        guard let currentEntry, !allowed.contains(currentEntry.id) else { return true }
        guard let route = try? route(of: currentEntry), let entries = try? guards.guards(of: route) else {
            // A screen that can't be shown has no actions to protect.
            return registration(of: currentEntry) == nil
        }
        if entries.isEmpty { allowed.insert(currentEntry.id) }
        return entries.isEmpty
    }

    /// Makes guards decide about every entry again, after their inputs have changed.
    package func invalidateGuardResults() { allowed = [] }

    // MARK: - Modules

    /// Loads the module of the current entry if it is activated on demand.
    package func loadCurrentModule() async throws {
        guard let loadOnDemand, let entry = currentEntry, live[entry.id] == nil,
            registration(of: entry) == nil
        else { return }
        _ = try await loadOnDemand(.module(entry.module))
    }

    /// True if the module of an entry is loaded or activated on demand.
    package func canShow(_ entry: StackEntry) -> Bool {
        registration(of: entry) != nil || isOnDemand?(entry.module) == true
    }

    /// The entries with screens that hold something a container change replaces.
    package func entries(affectedBy change: ContainerChange) -> [StackEntry] {
        let screens = Set(
            (change.changed + change.affected).filter { $0.layer == .screen }.map {
                ObjectIdentifier($0.type)
            })
        return state.entries.filter { entry in
            live[entry.id].map { screens.contains($0.destination) } ?? false
        }
    }

    /// Rebuilds the affected screens from their saved state when they are next shown, or after the actions
    /// running on them.
    ///
    /// Cancels actions that wait for a result; the result goes to their slot.
    package func rebuildScreens(after change: ContainerChange) {
        guards.reset()
        for entry in entries(affectedBy: change) {
            if isWaiting(entry.id) { cancelWaits(of: entry.id) }
            if busy[entry.id] == nil { discardScreen(of: entry.id) } else { outdated.insert(entry.id) }
        }
        // Keep destinations as data: their types may belong to a generation that is unloaded.
        state.updateAll { entry in
            var entry = entry
            // An encoding error was already reported by archiving.
            if let json = try? entry.properties.json { entry.properties = ArchivedDestination(json: json) }
            return entry
        }
    }

    /// Begins an action on the current screen, which is not rebuilt until ``endAction(on:)``.
    ///
    /// - Returns: The entry, for ``endAction(on:)``; nil at the root.
    package func beginAction() -> StackEntry.ID? {
        guard let id = currentEntry?.id else { return nil }
        busy[id, default: 0] += 1
        return id
    }

    package func endAction(on id: StackEntry.ID?) {
        guard let id else { return }
        busy[id] = busy[id].flatMap { $0 > 1 ? $0 - 1 : nil }
        if busy[id] == nil, outdated.remove(id) != nil { discardScreen(of: id) }
    }

    private func discardScreen(of id: StackEntry.ID) {
        saveState(of: id)
        guard let live = live.removeValue(forKey: id) else { return }
        unloaded.remove(id)
        needsArchiving = true
        live.screen.entry.leave()
        leakMonitor.watch(live.screen.entry, of: state.entries.first { $0.id == id }?.link ?? "")
    }
}

// MARK: - Session

extension Coordinator: NavigationStack {
    package var path: NavigationPath { NavigationPath(state.entries.map(\.link)) }

    /// Lets a session mirror and replace the stack.
    package func mirror(in session: SessionManager) {
        self.session = session
        session.mirror(self)
    }

    /// Ends the stack with its front end: leaves all screens regardless of objections, and cancels all waits.
    package func end() {
        current?.cancel()
        for id in waiting.keys { cancelWait(for: id) }
        for screen in live.values { screen.screen.entry.leave() }
        live = [:]
    }

    /// Replaces the stack by a saved one, as a restart does: leaves all screens regardless of objections, and
    /// cancels all waits.
    package func replaceStack(with saved: NavigationState) {
        end()
        current = nil
        (unloaded, allowed, outdated, unsaved) = ([], [], [], [:])
        (presenting, earlyResults, leftQuestions) = (nil, [:], [])
        guards.reset()
        state = saved
        needsArchiving = false
        session?.navigationDidChange(self)
        didMove?()
    }

    package func go(to path: NavigationPath) {
        let previous = requested
        requested = Task { [weak self] in
            await previous?.value
            guard let self, self.path != path else { return }
            do {
                try await replaceAll(with: path.links)
            } catch {
                reportError?(error)
            }
        }
    }

    /// Waits for the navigations that the session requested.
    package func settle() async {
        while let task = requested {
            await task.value
            if requested == task { requested = nil }
        }
    }
}

extension View {
    /// Its actions; a view that spins while it lists them ends a script or a service.
    package var listedActions: [Action] {
        Coordinator.notePhase("its actions were listed")
        defer { Coordinator.notePhase(nil) }
        return actions
    }
}
