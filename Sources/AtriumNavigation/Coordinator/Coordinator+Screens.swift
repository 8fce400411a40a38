@_spi(Host) package import AtriumKit

extension Coordinator {
    /// The screen of the current place, built where it was not yet; nil at the root.
    ///
    /// A screen that comes back after a restart is not loaded yet; see ``loadedScreen(again:)``.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable` where the entry's module is not active
    ///   or can't read the entry; the entry stays on the stack.
    package func currentScreen() throws -> Screen? {
        guard let entry = place else { return nil }
        if let live = live[entry.id] { return live.screen }
        let built = try rebuild(entry)
        live[entry.id] = built
        unloaded.insert(entry.id)
        return built.screen
    }

    /// The screen of the current place, loaded where it was not, or where `again` asks for it; nil at the root.
    ///
    /// Its guards have to be asked before, by ``admitCurrent()``.
    package func loadedScreen(again: Bool = false) async throws -> Screen? {
        try await wakeCurrent()
        guard let entry = place, let screen = try currentScreen() else { return nil }
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
    package func admitCurrent() async throws -> Arrival? {
        guard let place, !admitted.contains(place.id) else { return nil }
        try await wakeCurrent()
        // A place that can't be read is told when it is shown.
        guard let target = try? target(of: place) else { return nil }
        let request = NavigationRequest(.reveal, link: place.link, entry: place.id)
        let admission = try await gatekeeper.admit(target, request: request)
        guard self.place?.id == place.id else { return try await admitCurrent() }
        guard let intent = admission.intents.first else {
            admitted.insert(place.id)
            return nil
        }
        let visit = try await prepareAndLoad(admission.target)
        guard self.place?.id == place.id else {
            visit.screen.entry.leave()
            return try await admitCurrent()
        }
        var arrival = enter(visit, by: .push(admission.target.name))
        if let id = arrival.entry { state.update(id) { $0.intents = admission.intents } }
        arrival.detour = intent
        journal.add(request, .redirected, at: self.place?.link)
        return arrival
    }

    /// Whether the current place may be shown without asking a guard; also where there is none.
    package var isCurrentAdmitted: Bool {
        guard let place, !admitted.contains(place.id) else { return true }
        guard let target = try? target(of: place), let concerned = try? guards.concerning(target) else {
            // What can't be shown has no actions either.
            return registration(of: place) == nil
        }
        if concerned.isEmpty { admitted.insert(place.id) }
        return concerned.isEmpty
    }

    /// Has the guards asked again about every place: what they go by has changed.
    package func askGuardsAgain() {
        admitted = []
    }

    /// Loads the module of the current place, where it is loaded when it is first wanted.
    package func wakeCurrent() async throws {
        guard let wake, let entry = place, live[entry.id] == nil, registration(of: entry) == nil else {
            return
        }
        _ = try await wake(.module(entry.module))
    }

    /// Whether a place could be shown, its guards aside: its module is there, or is loaded when it is wanted.
    package func canShow(_ entry: StackEntry) -> Bool {
        registration(of: entry) != nil || wakes?(entry.module) == true
    }

    func registration(of entry: StackEntry) -> ScreenRegistration? {
        HostScreens.screen(of: entry) ?? screens.screen(of: entry)
    }

    /// The place of an entry, read by its module.
    ///
    /// - Throws: ``NavigationError`` with code `screenUnavailable`.
    func target(of entry: StackEntry) throws -> Target {
        guard let registration = registration(of: entry) else {
            throw screens.hasScreens(of: entry.module)
                ? NavigationError.unknownPlace(entry) : .unavailable(entry)
        }
        do {
            let destination = try registration.restore(
                properties: entry.properties.json, version: entry.version)
            return try Target(destination, on: registration)
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
