@_spi(Host) package import AtriumKit

extension Coordinator {
    /// The screen of the current place, built where it was not yet; nil at the root.
    ///
    /// A screen that comes back after a restart is not loaded yet; see ``loadedScreen(again:)``.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable` where the entry's module is not active
    ///   or can't read the entry; the entry stays on the stack.
    package func currentScreen() throws -> Screen? {
        guard let entry = currentEntry else { return nil }
        if let live = live[entry.id] { return live.screen }
        let built = try rebuild(entry)
        live[entry.id] = built
        unloaded.insert(entry.id)
        return built.screen
    }

    /// The screen of the current place, loaded where it was not, or where `again` asks for it; nil at the root.
    ///
    /// Its guards have to be asked before, by ``evaluateCurrentGuards()``.
    package func loadedScreen(again: Bool = false) async throws -> Screen? {
        try await loadCurrentModule()
        guard let entry = currentEntry, let screen = try currentScreen() else { return nil }
        if again || unloaded.contains(entry.id) {
            // Leaving the place ends it.
            try await screen.entry.tasks.value("load") { try await screen.view.load() }
            unloaded.remove(entry.id)
        }
        try await deliverResults(to: screen, of: entry.id)
        return screen
    }

    /// Asks the guards about a place that has come back, after a restart or because what was above it was
    /// left, and about every place after somebody signed in or out.
    ///
    /// - Returns: Where a guard redirected to; nil where the place may be shown.
    /// - Throws: ``NavigationError`` where a guard refuses; the place stays on the stack.
    package func evaluateCurrentGuards() async throws -> Arrival? {
        guard let currentEntry, !allowed.contains(currentEntry.id) else { return nil }
        try await loadCurrentModule()
        // A place that can't be read is told when it is shown.
        guard let target = try? target(of: currentEntry) else { return nil }
        let request = NavigationRequest(.reveal, link: currentEntry.link, entry: currentEntry.id)
        let result = try await evaluator.evaluate(target, request: request)
        guard self.currentEntry?.id == currentEntry.id else { return try await evaluateCurrentGuards() }
        guard let intent = result.intents.first else {
            allowed.insert(currentEntry.id)
            return nil
        }
        let visit = try await prepareAndLoad(result.target)
        guard self.currentEntry?.id == currentEntry.id else {
            visit.screen.entry.leave()
            return try await evaluateCurrentGuards()
        }
        var arrival = enter(visit, by: .push(result.target.name))
        if let id = arrival.entry { state.update(id) { $0.intents = result.intents } }
        arrival.redirect = intent
        journal.add(request, .redirected, at: self.currentEntry?.link)
        return arrival
    }

    /// Whether the current place may be shown without asking a guard; also where there is none.
    package var isCurrentAllowed: Bool {
        guard let currentEntry, !allowed.contains(currentEntry.id) else { return true }
        guard let target = try? target(of: currentEntry), let concerned = try? guards.concerning(target)
        else {
            // What can't be shown has no actions either.
            return registration(of: currentEntry) == nil
        }
        if concerned.isEmpty { allowed.insert(currentEntry.id) }
        return concerned.isEmpty
    }

    /// Has the guards asked again about every place: what they go by has changed.
    package func invalidateGuardResults() {
        allowed = []
    }

    /// Loads the module of the current place, where it is loaded when it is first needed.
    package func loadCurrentModule() async throws {
        guard let loadOnDemand, let entry = currentEntry, live[entry.id] == nil,
            registration(of: entry) == nil
        else {
            return
        }
        _ = try await loadOnDemand(.module(entry.module))
    }

    /// Whether a place could be shown, its guards aside: its module is there, or is loaded when it is needed.
    package func canShow(_ entry: StackEntry) -> Bool {
        registration(of: entry) != nil || isOnDemand?(entry.module) == true
    }

    func registration(of entry: StackEntry) -> ScreenRegistration? {
        HostScreens.screen(of: entry) ?? screens.screen(of: entry)
    }

    /// The place of an entry, read by its module.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable`.
    func target(of entry: StackEntry) throws -> Route {
        guard let registration = registration(of: entry) else {
            throw screens.hasScreens(of: entry.module)
                ? NavigationError.unknownPlace(entry) : .unavailable(entry)
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
        let visit = try build(target(of: entry))
        visit.navigator.entry = entry.id
        for viewModel in visit.screen.viewModels {
            // State that no longer fits its view model is dropped: the screen then starts fresh.
            if let saved = entry.state[viewModel.name] { try? viewModel.restoreState(saved) }
        }
        return LiveScreen(
            screen: visit.screen, destination: visit.target.registration.destinationType)
    }
}
