@_spi(Host) package import AtriumKit

extension Coordinator {
    /// Goes to one place: asks its guards, builds and loads its screen, then enters it.
    func go(_ asked: QueuedRequest) async throws -> Arrival {
        let request = asked.request
        try checkLeaving(of: request)
        let route: Route
        if let known = try known(asked) { route = known } else { route = try await found(asked) }
        if request.operation == .bringToFront,
            let entry = state.entries.last(where: { $0.link == request.link })
        {
            return try leave(by: .bringToFront(entry.id), request)
        }
        let result: GuardResult?
        if let known = asked.result {
            result = known
        } else if try guards.concerning(route).isEmpty {
            result = nil
        } else {
            result = try await evaluator.evaluate(route, request: request)
        }
        if let result, let intent = result.intents.last {
            return try await enterRedirect(result, from: route, for: intent, request)
        }
        let visit = try await prepareAndLoad(route)
        guard isWithinNavigation else {
            // What it called has begun another; its task could not be cancelled before it had one.
            visit.screen.entry.leave()
            throw CancellationError()
        }
        let arrival = enter(visit, by: request)
        if asked.isAwaited { presenting = arrival.entry }
        return arrival
    }

    private func enterRedirect(
        _ result: GuardResult, from route: Route, for intent: StackEntry.Intent,
        _ request: NavigationRequest
    ) async throws -> Arrival {
        // Who presents waits for a result, which a redirect would not have.
        guard request.operation != .present else {
            throw NavigationError.needsRedirect(
                route.link, by: intent.guardName, because: intent.reason, to: result.target.name)
        }
        let visit = try await prepareAndLoad(result.target)
        var arrival = enter(visit, by: .push(result.target.name))
        if let id = arrival.entry { state.update(id) { $0.intents = result.intents } }
        arrival.redirect = result.intents.first
        return arrival
    }

    var evaluator: GuardEvaluator {
        GuardEvaluator(guards: guards) { [weak self] link in
            guard let self else { throw NavigationError.stackIsGone }
            return try await find(link)
        }
    }

    // MARK: - Finding

    /// The place of a request, where its module is loaded.
    private func known(_ asked: QueuedRequest) throws -> Route? {
        let name = asked.request.link ?? ""
        guard let destination = asked.destination else { return try known(Link(name)) }
        return try target(of: destination, link: asked.link.map { ($0, name) })
    }

    // A link that nobody has is gone to when somebody has it.
    private func found(_ asked: QueuedRequest) async throws -> Route {
        let link = try Link(asked.request.link ?? "")
        do {
            return try await find(link)
        } catch let error as NavigationError where error.code == .unknownLink && main == nil {
            state.pendingLink = link.description
            needsArchiving = true
            throw error
        }
    }

    func target(of destination: any Destination, link: (Link, String)? = nil) throws -> Route {
        guard
            let registration = HostScreens.screen(for: destination) ?? screens.screen(for: destination)
        else { throw NavigationError.notRegistered(destination) }
        return try Route(destination, on: registration, link: link)
    }

    /// The place of a link; its module is loaded where that is needed.
    func find(_ link: Link) async throws -> Route {
        if let target = try known(link) { return target }
        if try await loadOnDemand?(.link(link)) == true, let target = try known(link) { return target }
        throw NavigationError.unknownLink(
            link, patterns: screens.all.map(\.pattern.description) + (unloadedPatterns?() ?? []))
    }

    /// The place of a link whose module is loaded; nil where no screen has the link.
    func known(_ link: Link) throws -> Route? {
        guard let registration = screens.screen(for: link),
            let destination = try registration.destination(link)
        else { return nil }
        return try Route(destination, on: registration)
    }

    // MARK: - Building

    /// Builds the screen of a link without asking its guards, without loading or entering it; nil where no
    /// screen has the link.
    package func prepare(_ link: Link) throws -> PreparedScreen? {
        try known(link).map(build)
    }

    func build(_ target: Route) throws -> PreparedScreen {
        let navigator = EntryNavigator(self)
        return PreparedScreen(
            screen: try target.registration.build(target.destination, in: container, navigator: navigator),
            target: target, navigator: navigator)
    }

    func prepareAndLoad(_ target: Route) async throws -> PreparedScreen {
        try Task.checkCancellation()
        let visit = try build(target)
        do {
            try await visit.screen.view.load()
            try Task.checkCancellation()
        } catch {
            // What it started on its own ends with it.
            visit.screen.entry.leave()
            throw error
        }
        return visit
    }

    // MARK: - Entering

    /// Puts a prepared screen on the stack, without asking anybody.
    ///
    /// - Parameters:
    ///   - visit: What was prepared.
    ///   - loading: Whether to load it before; what shows it later takes it for loaded in any case.
    /// - Throws: What loading throws; the stack is then as it was.
    package func enter(_ visit: PreparedScreen, loading: Bool = true) async throws {
        if loading { try await visit.screen.view.load() }
        try Task.checkCancellation()
        _ = enter(visit, by: .push(visit.target.name))
    }

    func enter(_ visit: PreparedScreen, by request: NavigationRequest) -> Arrival {
        let entry = visit.target.entry(state.nextID)
        visit.navigator.entry = entry.id
        live[entry.id] = LiveScreen(
            screen: visit.screen, destination: visit.target.registration.destinationType)
        allowed.insert(entry.id)
        switch request.operation {
        case .replace: replace(by: entry)
        case .present: carryOut(.present(entry, slot: request.slot))
        default: carryOut(.push(entry))
        }
        state.pendingLink = nil
        return Arrival(entry: entry.id, hasMoved: true)
    }

    /// Puts an entry in the place of the current one; who waits for the result of that waits for it then.
    private func replace(by entry: StackEntry) {
        let wait = currentEntry.flatMap { waiting.removeValue(forKey: $0.id) }
        carryOut(.replace(entry))
        guard let wait else { return }
        waiting[entry.id] = wait
        if let currentEntry { wait.listener?.suspended(at: currentEntry) }
    }

    /// Makes other places the whole stack; those that are on it stay as they are.
    func replaceAll(_ request: NavigationRequest) async throws -> Arrival {
        var links = try (request.links ?? []).map(Link.init)
        guard let last = links.popLast() else { return try leave(by: .root, request) }
        let route = try await find(last)
        var rest: [Route] = []
        for link in links { rest.append(try await find(link)) }
        var free = state.entries.filter { $0.presentation == nil }
        func entry(of target: Route, _ id: StackEntry.ID) -> StackEntry {
            guard let index = free.firstIndex(where: { $0.link == target.name }) else {
                return target.entry(id)
            }
            return free.remove(at: index)
        }
        var entries: [StackEntry] = []
        var nextID = state.nextID
        for target in rest {
            entries.append(entry(of: target, nextID))
            nextID = max(nextID, entries[entries.count - 1].id + 1)
        }
        var top = entry(of: route, nextID)
        let operation = NavigationState.Operation.replaceAll(entries + [top])
        try checkLeaving(operation, request)
        guard top.id == nextID else {
            if top.id != currentEntry?.id { allowed.remove(top.id) }
            carryOut(operation)
            return Arrival(entry: top.id, hasMoved: true)
        }
        let result = try await evaluator.evaluate(route, request: .push(route.name))
        let visit = try await prepareAndLoad(result.target)
        top = result.target.entry(nextID)
        top.intents = result.intents
        visit.navigator.entry = top.id
        live[top.id] = LiveScreen(
            screen: visit.screen, destination: result.target.registration.destinationType)
        allowed.insert(top.id)
        carryOut(.replaceAll(entries + [top]))
        state.pendingLink = nil
        return Arrival(entry: top.id, redirect: result.intents.first, hasMoved: true)
    }

    // MARK: - Going on

    /// Goes on to where a guard sent somebody away from, where the current place is the one they were sent to
    /// and the guard allows it now.
    ///
    /// - Returns: What came of it; nil where there is nothing to go on to, or not yet.
    package func resumeIntent() async throws -> Arrival? {
        var arrival: Arrival?
        // One redirect may have been made on the way to another.
        while let currentEntry, let intent = currentEntry.intents.last, try await allows(intent),
            self.currentEntry?.id == currentEntry.id
        {
            arrival = try await resume(from: currentEntry, to: intent)
        }
        return arrival
    }

    private func allows(_ intent: StackEntry.Intent) async throws -> Bool {
        let target: Route
        if intent.request.operation == .reveal {
            guard let id = intent.request.entry, let entry = state.entries.first(where: { $0.id == id }),
                let known = try? self.target(of: entry)
            else { return true }
            target = known
        } else {
            // What is not there now may come back; the redirect is a place like any other until then.
            guard let link = try? Link(intent.request.link ?? ""), let found = try? await find(link) else {
                return false
            }
            target = found
        }
        let concerned = try guards.concerning(target).first { $0.name.rawValue == intent.guardName }
        guard let concerned else { return true }
        return try await concerned.navigationGuard.verdict(on: target.attempt) == .allow
    }

    private func resume(from currentEntry: StackEntry, to intent: StackEntry.Intent) async throws -> Arrival {
        state.update(currentEntry.id) { $0.intents = [] }
        needsArchiving = true
        let rest = Array(currentEntry.intents.dropLast())
        do {
            if intent.stays || intent.request.operation == .reveal {
                if !intent.stays { carryOut(.remove(currentEntry.id)) }
                if let id = intent.request.entry { allowed.insert(id) }
                if intent.request.operation == .reveal {
                    journal.add(intent.request, .done, at: self.currentEntry?.link)
                    return Arrival(entry: intent.request.entry, hasMoved: true)
                }
                return try await follow(intent.request, rest)
            }
            return try await follow(intent.request, rest, from: currentEntry.id)
        } catch {
            state.update(currentEntry.id) { $0.intents = currentEntry.intents }
            throw error
        }
    }

    /// Repeats a request, then takes the place out from which it goes on; what else was intended goes along.
    private func follow(
        _ request: NavigationRequest, _ rest: [StackEntry.Intent], from former: StackEntry.ID? = nil
    ) async throws -> Arrival {
        var request = request
        var replaced: StackEntry.ID?
        if former != nil {
            // What was to be replaced lies below the redirect.
            if request.operation == .replace, let below = state.entries.dropLast().last {
                try checkLeaving(.remove(below.id), request)
                replaced = below.id
            }
            request = NavigationRequest(.replace, link: request.link).forced()
        }
        var arrival = try await navigate(request)
        if let replaced { carryOut(.remove(replaced)) }
        if let id = arrival.entry, !rest.isEmpty {
            state.update(id) { $0.intents = rest + $0.intents }
        }
        arrival.hasMoved = true
        return arrival
    }

    /// Goes to the link that nobody had when it was opened, where a module has it now.
    ///
    /// - Returns: The link; nil where there is none, or nobody has it yet.
    package func openPendingLink() async throws -> String? {
        guard let route = state.pendingLink, let link = try? Link(route), screens.screen(for: link) != nil
        else {
            return nil
        }
        needsArchiving = true
        if currentEntry?.link == route {
            // It is the current place, which has come back by itself.
            state.pendingLink = nil
            return nil
        }
        try await open(link)
        return route
    }
}
