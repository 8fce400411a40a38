@_spi(Host) package import AtriumKit

/// What came of a request.
package struct Arrival: Sendable {
    /// The entry that was entered; nil where none was.
    package var entry: StackEntry.ID?
    /// Why another place was entered than the one that was asked for.
    package var detour: StackEntry.Intent?
    /// Whether the stack is another one now.
    package var hasMoved = false
}

/// A navigation that is under way.
struct RunningNavigation {
    let number: Int
    /// Nil while it has not waited for anything yet: nobody else can come in then.
    var task: Task<Arrival, any Error>?
}

/// A request with the destination that it names, where that is known.
struct QueuedRequest {
    let request: NavigationRequest
    var destination: (any Destination)?
    /// Its link, where that is known; to make it costs more than to build a small screen.
    var link: Link?
    /// Whether somebody waits for the result of what is presented.
    var isAwaited = false
    /// What the guards made of it, where they were asked before.
    var admission: Admission?
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
        try await navigate(QueuedRequest(request: request))
    }

    func navigate(_ asked: QueuedRequest) async throws -> Arrival {
        if let current, Self.running == current.number {
            queue.append(asked)
            return Arrival()
        }
        try Task.checkCancellation()
        current?.task?.cancel()
        current = nil
        if let operation = try operationNow(asked.request) {
            // Nothing has to be waited for, so that nobody can come in between.
            return try recording(asked.request) { try leave(by: operation, asked.request) }
        }
        lastNavigation += 1
        let number = lastNavigation
        current = RunningNavigation(number: number)
        // `Task.immediate` would save turns of the main queue; with it, 10,000 moves kept some 80 bytes each.
        let task = Task { [self] in try await carryOutAlone(asked, number) }
        if current?.number == number { current?.task = task }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func carryOutAlone(_ asked: QueuedRequest, _ number: Int) async throws -> Arrival {
        // What is asked for from then on, also by what began within, is a navigation of its own.
        defer { if current?.number == number { current = nil } }
        return try await Self.$running.withValue(number) { try await carryOutWithQueue(asked, number) }
    }

    private func carryOutWithQueue(_ asked: QueuedRequest, _ number: Int) async throws -> Arrival {
        queue = []
        let arrival: Arrival
        do {
            arrival = try await carryOut(asked)
            var path: [String] = []
            while current?.number == number, !queue.isEmpty {
                let next = queue.removeFirst()
                path.append(next.request.description)
                guard path.count <= Gatekeeper.limit else { throw NavigationError.tooManyRedirects(path) }
                _ = try await carryOut(next)
            }
        } catch {
            return try recording(asked.request) { throw error }
        }
        return try recording(asked.request) { arrival }
    }

    /// Writes what came of a request into the journal.
    private func recording(_ request: NavigationRequest, _ body: () throws -> Arrival) throws -> Arrival {
        do {
            let arrival = try body()
            journal.add(request, arrival.detour == nil ? .done : .redirected, at: place?.link)
            return arrival
        } catch {
            let explained = error as? any ExplainedError
            let outcome: NavigationJournal.Outcome =
                error is CancellationError ? .cancelled : explained?.category == .refused ? .refused : .failed
            journal.add(request, outcome, at: place?.link, error: explained?.code)
            throw error
        }
    }

    private func carryOut(_ asked: QueuedRequest) async throws -> Arrival {
        switch asked.request.operation {
        case .push, .replace, .present, .bringToFront: try await go(asked)
        case .replaceAll: try await replaceAll(asked.request)
        default:
            if let operation = try operationNow(asked.request) {
                try leave(by: operation, asked.request)
            } else {
                Arrival()
            }
        }
    }

    /// What a request that goes to no new place does to the stack; nil for others.
    private func operationNow(_ request: NavigationRequest) throws -> NavigationState.Operation? {
        switch request.operation {
        case .back: return operationOfBack
        case .leave: return place.map { .remove($0.id) } ?? .back
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
        try await ask(.push, destination)
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
        try await navigate(.back)
    }

    package func forward() async throws {
        try await navigate(.forward)
    }

    package func pop(to link: String) async throws {
        try await navigate(NavigationRequest(.popTo, link: Link(link).description))
    }

    package func root() async throws {
        try await navigate(.root)
    }

    package func replace(with destination: any Destination) async throws {
        try await ask(.replace, destination)
    }

    package func replaceAll(with links: [String]) async throws {
        try await navigate(NavigationRequest(.replaceAll, links: links.map { try Link($0).description }))
    }

    package func bringToFront(_ destination: any Destination) async throws {
        try await ask(.bringToFront, destination)
    }

    private func ask(_ operation: NavigationRequest.Operation, _ destination: any Destination) async throws {
        let link = try destination.link()
        let request = NavigationRequest(operation, link: link.description)
        _ = try await navigate(QueuedRequest(request: request, destination: destination, link: link))
    }
}
