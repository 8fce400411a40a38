@_spi(Host) package import AtriumKit

/// What came of a request.
package struct Arrival: Sendable {
    /// The entry that was entered; nil where none was.
    package var entry: StackEntry.ID?
    /// Why another place was entered than the one that was asked for.
    package var redirect: StackEntry.Intent?
    /// Whether the stack is another one now.
    package var hasMoved = false
}

extension Coordinator {
    /// Does what somebody asks of the stack.
    ///
    /// A navigation that is under way is cancelled for it. What is asked for from within a navigation is done
    /// right after it, and this returns at once.
    ///
    /// - Throws: ``NavigationError``, what building and loading the screen throws, or `CancellationError`
    ///   where a newer request came in between; the stack is then as it was.
    @discardableResult
    package func navigate(_ request: NavigationRequest) async throws -> Arrival {
        try await navigate(QueuedRequest(request))
    }

    func navigate(_ asked: QueuedRequest) async throws -> Arrival {
        if isWithinNavigation {
            queue.append(asked)
            return Arrival()
        }
        try takeOver()
        if let arrival = try leaveNow(asked.request) { return arrival }
        lastNavigation += 1
        let navigation = RunningNavigation(lastNavigation)
        current = navigation
        // A task of its own can be cancelled by a newer navigation without its caller. It runs right here until
        // it has to wait for something; most never do, and then nobody has to be told of a cancellation.
        let task = Self.$running.withValue(navigation.number) {
            Task.immediate { [self] in try await carryOut(asked, as: navigation) }
        }
        guard !navigation.hasEnded else { return try await task.value }
        navigation.task = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Whether the code that runs was called by the navigation that is under way.
    var isWithinNavigation: Bool {
        current.map { Self.running == $0.number } ?? false
    }

    /// Makes room for another navigation.
    private func takeOver() throws {
        try Task.checkCancellation()
        current?.cancel()
        current = nil
    }

    /// Carries out a request that goes to no new place; nil for others.
    ///
    /// Nothing has to be waited for, so that nobody can come in between.
    private func leaveNow(_ request: NavigationRequest) throws -> Arrival? {
        guard let operation = try operationNow(request) else { return nil }
        return try recording(request) { try leave(by: operation, request) }
    }

    private func carryOut(_ asked: QueuedRequest, as navigation: RunningNavigation) async throws -> Arrival {
        defer {
            navigation.hasEnded = true
            // What is asked for from then on, also by what began within, is a navigation of its own.
            if current === navigation { current = nil }
        }
        queue = []
        let arrival: Arrival
        do {
            // A place is what most go to, and each function that may wait costs its share.
            arrival = try await asked.goesToOnePlace ? go(asked) : carryOut(asked)
            if !queue.isEmpty { try await carryOutQueue(of: navigation) }
        } catch {
            return try recording(asked.request) { throw error }
        }
        return try recording(asked.request) { arrival }
    }

    private func carryOutQueue(of navigation: RunningNavigation) async throws {
        var path: [String] = []
        while current === navigation, !queue.isEmpty {
            let next = queue.removeFirst()
            path.append(next.request.description)
            guard path.count <= GuardEvaluator.limit else { throw NavigationError.tooManyRedirects(path) }
            _ = try await carryOut(next)
        }
    }

    /// Writes what came of a request into the journal.
    private func recording(_ request: NavigationRequest, _ body: () throws -> Arrival) throws -> Arrival {
        do {
            let arrival = try body()
            journal.add(request, arrival.redirect == nil ? .done : .redirected, at: currentEntry?.link)
            return arrival
        } catch {
            let explained = error as? any ExplainedError
            let outcome: NavigationJournal.Outcome =
                error is CancellationError ? .cancelled : explained?.category == .refused ? .refused : .failed
            journal.add(request, outcome, at: currentEntry?.link, error: explained?.code)
            throw error
        }
    }

    private func carryOut(_ asked: QueuedRequest) async throws -> Arrival {
        if asked.goesToOnePlace { return try await go(asked) }
        if asked.request.operation == .replaceAll { return try await replaceAll(asked.request) }
        guard let operation = try operationNow(asked.request) else { return Arrival() }
        return try leave(by: operation, asked.request)
    }

    /// What a request that goes to no new place does to the stack; nil for others.
    private func operationNow(_ request: NavigationRequest) throws -> NavigationState.Operation? {
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

    // MARK: - Navigator

    package func push(_ destination: any Destination) async throws {
        _ = try await navigate(asking(.push, destination))
    }

    package func open(_ link: String) async throws {
        try await open(Link(link))
    }

    /// Puts the place of a link on the stack.
    @discardableResult
    package func open(_ link: Link) async throws -> Arrival {
        try await navigate(.push(link.description))
    }

    package func back() async throws {
        try move(.back)
    }

    package func forward() async throws {
        try move(.forward)
    }

    package func pop(to link: String) async throws {
        try await navigate(NavigationRequest(.popTo, link: Link(link).description))
    }

    package func root() async throws {
        try move(.root)
    }

    package func replace(with destination: any Destination) async throws {
        _ = try await navigate(asking(.replace, destination))
    }

    package func replaceAll(with links: [String]) async throws {
        try await navigate(NavigationRequest(.replaceAll, links: links.map { try Link($0).description }))
    }

    package func bringToFront(_ destination: any Destination) async throws {
        _ = try await navigate(asking(.bringToFront, destination))
    }

    /// Goes where nothing has to be built.
    private func move(_ request: NavigationRequest) throws {
        guard !isWithinNavigation else { return queue.append(QueuedRequest(request)) }
        try takeOver()
        _ = try leaveNow(request)
    }

    private func asking(
        _ operation: NavigationRequest.Operation, _ destination: any Destination
    ) throws -> QueuedRequest {
        let link = try destination.link()
        return QueuedRequest(NavigationRequest(operation, link: link.description), destination, link: link)
    }
}
