@_spi(Host) package import AtriumKit

/// The entry that guards redirect to instead of the requested one.
@MainActor
package struct Redirect {
    let link: Link
    let intent: StackEntry.Intent
    let guardResult: GuardResult

    /// The error for a caller that can't wait, such as an action in a preview.
    package var refusal: NavigationError {
        .refused(
            link, by: intent.guardName, because: intent.reason, hint: "open \(guardResult.route.name)")
    }
}

extension Coordinator {
    /// Enters one screen: asks its guards, builds and loads it, and puts it on the stack.
    func enter(_ queued: QueuedRequest) async throws -> Arrival {
        let request = queued.request
        try checkObjections(to: request)
        let route: Route
        if let loaded = try loadedRoute(queued) { route = loaded } else { route = try await find(queued) }
        if request.operation == .bringToFront,
            let entry = state.entries.last(where: { $0.link == request.link })
        {
            return try leave(by: .bringToFront(entry.id), request)
        }
        guard request.operation == .replace || state.entries.count < NavigationState.capacity else {
            throw NavigationError.stackIsFull(route.name)
        }
        let guardResult: GuardResult?
        if let known = queued.guardResult {
            guardResult = known
        } else if try guards.guards(of: route).isEmpty {
            guardResult = nil
        } else {
            guardResult = try await evaluator.evaluate(route, request: request)
        }
        if let guardResult, let intent = guardResult.intents.last {
            // A presenter waits for a result, which the redirect would not return.
            guard request.operation != .present else {
                throw Redirect(link: route.link, intent: intent, guardResult: guardResult).refusal
            }
            return enter(try await prepareAndLoad(guardResult.route), after: guardResult)
        }
        let prepared = try await prepareAndLoad(route)
        guard isWithinNavigation else {
            // A newer navigation began before this one had a task to cancel.
            prepared.screen.entry.leave()
            throw CancellationError()
        }
        let arrival = enter(prepared, by: request)
        if queued.isAwaited { presenting = arrival.entry }
        return arrival
    }

    /// Puts the screen of a redirect on the stack, with the intents that it postpones.
    func enter(_ prepared: PreparedScreen, after guardResult: GuardResult) -> Arrival {
        var arrival = enter(prepared, by: .push(guardResult.route.name))
        if let id = arrival.entry { state.update(id) { $0.intents = guardResult.intents } }
        arrival.redirect = guardResult.intents.first
        return arrival
    }

    // MARK: - Guards

    var evaluator: GuardEvaluator {
        GuardEvaluator(guards: guards) { [weak self] link in
            guard let self else { throw NavigationError.stackIsGone }
            return try await find(link)
        }
    }

    /// Returns the redirect for a route; nil if its guards allow it.
    ///
    /// - Throws: ``NavigationError`` if a guard refuses.
    package func redirect(from route: Route) async throws -> Redirect? {
        guard try !guards.guards(of: route).isEmpty else { return nil }
        let result = try await evaluator.evaluate(route, request: .push(route.name))
        guard let intent = result.intents.first else { return nil }
        return Redirect(link: route.link, intent: intent, guardResult: result)
    }

    /// Enters the screen of a redirect, without asking the guards a second time.
    @discardableResult
    package func follow(_ redirect: Redirect) async throws -> Arrival {
        let request = NavigationRequest.push(redirect.link.description)
        return try await navigate(
            QueuedRequest(request, link: redirect.link, guardResult: redirect.guardResult))
    }

    // MARK: - Finding

    private func loadedRoute(_ queued: QueuedRequest) throws -> Route? {
        let name = queued.request.link ?? ""
        guard let destination = queued.destination else { return try loadedRoute(Link(name)) }
        return try route(to: destination, link: queued.link.map { ($0, name) })
    }

    private func find(_ queued: QueuedRequest) async throws -> Route {
        let link = try Link(queued.request.link ?? "")
        do {
            return try await find(link)
        } catch let error as NavigationError where error.code == .unknownLink && main == nil {
            // A link like a known one is a typo and does not wait; one with a secret must not be stored.
            guard error.suggestion == nil, link.shown == link.description else { throw error }
            state.wait(for: try Link.toOpen(link.description).description, now: now)
            needsArchiving = true
            throw error.waiting
        }
    }

    func route(to destination: any Destination, link: (Link, String)? = nil) throws -> Route {
        guard
            let registration = HostScreens.screen(for: destination) ?? screens.screen(for: destination)
        else { throw NavigationError.notRegistered(destination) }
        return try Route(destination, on: registration, link: link)
    }

    /// Finds the route of a link, and loads its module if it is activated on demand.
    package func find(_ link: Link) async throws -> Route {
        if let route = try await route(to: link) { return route }
        throw NavigationError.unknownLink(
            link, patterns: screens.all.map(\.pattern.description) + (unloadedPatterns?() ?? []))
    }

    package func route(to link: Link) async throws -> Route? {
        if let route = try loadedRoute(link) { return route }
        return try await loadOnDemand?(.link(link)) == true ? try loadedRoute(link) : nil
    }

    func loadedRoute(_ link: Link) throws -> Route? {
        guard let registration = screens.screen(for: link),
            let destination = try registration.destination(link)
        else { return nil }
        return try Route(destination, on: registration)
    }

    // MARK: - Building

    /// Builds the screen of a route without loading or entering it; the caller has asked its guards.
    package func build(_ route: Route) throws -> PreparedScreen {
        let navigator = EntryNavigator(self)
        return PreparedScreen(
            screen: try route.registration.build(
                route.destination, in: container, navigator: navigator, viewport: viewport),
            route: route, navigator: navigator)
    }

    func prepareAndLoad(_ route: Route) async throws -> PreparedScreen {
        try Task.checkCancellation()
        let prepared = try build(route)
        do {
            try await prepared.screen.view.load()
            try Task.checkCancellation()
        } catch {
            // End the tasks that loading started.
            prepared.screen.entry.leave()
            throw error
        }
        return prepared
    }

    // MARK: - Entering

    /// Puts a prepared screen on the stack, without asking guards or screens.
    ///
    /// - Parameters:
    ///   - prepared: The screen.
    ///   - loading: Whether to load it first; a screen on the stack counts as loaded in any case.
    /// - Throws: An error of loading; the stack is unchanged.
    package func enter(_ prepared: PreparedScreen, loading: Bool = true) async throws {
        if loading { try await prepared.screen.view.load() }
        try Task.checkCancellation()
        _ = enter(prepared, by: .push(prepared.route.name))
    }

    func enter(_ prepared: PreparedScreen, by request: NavigationRequest) -> Arrival {
        let entry = prepared.route.entry(state.nextID)
        show(prepared, at: entry.id)
        switch request.operation {
        case .replace: replace(by: entry)
        case .present: apply(.present(entry, slot: request.slot))
        default: apply(.push(entry))
        }
        if !state.waitingLinks.isEmpty { state.drop(prepared.route.name) }
        return Arrival(entry: entry.id, hasMoved: true)
    }

    private func show(_ prepared: PreparedScreen, at id: StackEntry.ID) {
        prepared.navigator.entry = id
        live[id] = LiveScreen(
            screen: prepared.screen, destination: prepared.route.registration.destinationType)
        allowed.insert(id)
    }

    /// Replaces the current entry; a presenter that waits for it then waits for the new one.
    private func replace(by entry: StackEntry) {
        let wait = currentEntry.flatMap { waiting.removeValue(forKey: $0.id) }
        apply(.replace(entry))
        guard let wait else { return }
        waiting[entry.id] = wait
        if let currentEntry { wait.listener?.didSuspend(currentEntry) }
    }

    /// Makes the screens of links the whole stack; entries with one of these links stay as they are.
    func replaceAll(_ request: NavigationRequest) async throws -> Arrival {
        var links = try (request.links ?? []).map { try Link($0) }
        guard let last = links.popLast() else { return try leave(by: .root, request) }
        let topRoute = try await find(last)
        var routes: [Route] = []
        for link in links { routes.append(try await find(link)) }
        var reusable = state.entries.filter { $0.presentation == nil }
        func entry(for route: Route, _ id: StackEntry.ID) -> StackEntry {
            guard let index = reusable.firstIndex(where: { $0.link == route.name }) else {
                return route.entry(id)
            }
            return reusable.remove(at: index)
        }
        var entries: [StackEntry] = []
        var nextID = state.nextID
        for route in routes {
            entries.append(entry(for: route, nextID))
            nextID = max(nextID, entries[entries.count - 1].id.addingClamped(1))
        }
        var top = entry(for: topRoute, nextID)
        let operation = NavigationState.Operation.replaceAll(entries + [top])
        try checkObjections(to: operation, request)
        guard top.id == nextID else {
            if top.id != currentEntry?.id { allowed.remove(top.id) }
            apply(operation)
            return Arrival(entry: top.id, hasMoved: true)
        }
        let result = try await evaluator.evaluate(topRoute, request: .push(topRoute.name))
        let prepared = try await prepareAndLoad(result.route)
        top = result.route.entry(nextID)
        top.intents = result.intents
        show(prepared, at: top.id)
        apply(.replaceAll(entries + [top]))
        if !state.waitingLinks.isEmpty { state.drop(top.link) }
        return Arrival(entry: top.id, redirect: result.intents.first, hasMoved: true)
    }

    // MARK: - Resuming

    /// Resumes the intents of the current entry that their guards allow now.
    ///
    /// - Returns: The last arrival; nil if there is no intent, or its guard does not allow it yet.
    package func resumeIntent() async throws -> Arrival? {
        var arrival: Arrival?
        // One redirect may have led to another.
        while let currentEntry, let intent = currentEntry.intents.last, try await allows(intent),
            self.currentEntry?.id == currentEntry.id
        {
            arrival = try await resume(from: currentEntry, to: intent)
        }
        return arrival
    }

    private func allows(_ intent: StackEntry.Intent) async throws -> Bool {
        let route: Route
        if intent.request.operation == .reveal {
            guard let id = intent.request.entry, let entry = state.entries.first(where: { $0.id == id })
            else { return true }
            // The intent waits: the module may return.
            guard canShow(entry) else { return false }
            guard let restored = try? self.route(of: entry) else { return true }
            route = restored
        } else {
            // The same holds for a link.
            guard let link = try? Link(intent.request.link ?? ""), let found = try? await find(link) else {
                return false
            }
            route = found
        }
        let entry = try guards.guards(of: route).first { $0.name.rawValue == intent.guardName }
        guard let entry else { return true }
        return try await entry.verdict(on: route, within: guards.limit) == .allow
    }

    private func resume(from entry: StackEntry, to intent: StackEntry.Intent) async throws -> Arrival {
        state.update(entry.id) { $0.intents = [] }
        needsArchiving = true
        let remaining = Array(entry.intents.dropLast())
        do {
            if intent.stays || intent.request.operation == .reveal {
                if !intent.stays { apply(.remove(entry.id)) }
                if let id = intent.request.entry { allowed.insert(id) }
                if intent.request.operation == .reveal {
                    return Arrival(entry: intent.request.entry, hasMoved: true)
                }
                return try await `repeat`(intent.request, remaining)
            }
            return try await `repeat`(intent.request, remaining, replacing: entry.id)
        } catch {
            state.update(entry.id) { $0.intents = entry.intents }
            throw error
        }
    }

    /// Repeats a postponed request; moves the remaining intents to the entry that it enters.
    private func `repeat`(
        _ request: NavigationRequest, _ remaining: [StackEntry.Intent],
        replacing redirect: StackEntry.ID? = nil
    ) async throws -> Arrival {
        var request = request
        var replaced: StackEntry.ID?
        if redirect != nil {
            // The entry to replace is below the redirect's.
            if request.operation == .replace, let below = state.entries.dropLast().last {
                try checkObjections(to: .remove(below.id), request)
                replaced = below.id
            }
            request = NavigationRequest(.replace, link: request.link).forced()
        }
        var arrival = try await navigate(request)
        if let replaced { apply(.remove(replaced)) }
        if let id = arrival.entry, !remaining.isEmpty {
            state.update(id) { $0.intents = remaining + $0.intents }
        }
        arrival.hasMoved = true
        return arrival
    }
}
