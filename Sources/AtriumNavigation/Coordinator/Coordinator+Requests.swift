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
    let task: Task<Arrival, any Error>
}

/// A request with the destination that it names, where that is known.
struct QueuedRequest {
    let request: NavigationRequest
    var destination: (any Destination)?
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
        current?.task.cancel()
        lastNavigation += 1
        let number = lastNavigation
        let task = Task { [self] in
            // What is asked for from now on, also by what began within, is a navigation of its own.
            defer { if current?.number == number { current = nil } }
            return try await Self.$running.withValue(number) { try await carryOutWithQueue(asked, number) }
        }
        current = RunningNavigation(number: number, task: task)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func carryOutWithQueue(_ asked: QueuedRequest, _ number: Int) async throws -> Arrival {
        queue = []
        do {
            let arrival = try await carryOut(asked)
            var path: [String] = []
            while current?.number == number, !queue.isEmpty {
                let next = queue.removeFirst()
                path.append(next.request.description)
                guard path.count <= Gatekeeper.limit else { throw NavigationError.tooManyRedirects(path) }
                _ = try await carryOut(next)
            }
            journal.add(asked.request, arrival.detour == nil ? .done : .redirected, at: place?.link)
            return arrival
        } catch {
            let explained = error as? any ExplainedError
            let outcome: NavigationJournal.Outcome =
                error is CancellationError ? .cancelled : explained?.category == .refused ? .refused : .failed
            journal.add(asked.request, outcome, at: place?.link, error: explained?.code)
            throw error
        }
    }

    private func carryOut(_ asked: QueuedRequest) async throws -> Arrival {
        let request = asked.request
        switch request.operation {
        case .push, .replace, .present, .bringToFront: return try await go(asked)
        case .back: return try leave(by: .back, request)
        case .forward: return try leave(by: .forward, request)
        case .root: return try leave(by: .root, request)
        case .popTo:
            let link = request.link ?? ""
            guard let entry = state.entries.last(where: { $0.link == link }) else {
                throw NavigationError.notOnStack(link)
            }
            return try leave(by: .pop(to: entry.id), request)
        case .dismiss: return try dismiss(request)
        case .replaceAll: return try await replaceAll(request)
        case .reveal:
            guard let id = request.entry, state.entries.contains(where: { $0.id == id }) else { return Arrival() }
            return try leave(by: .pop(to: id), request)
        }
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
        let request = NavigationRequest(operation, link: try destination.link().description)
        _ = try await navigate(QueuedRequest(request: request, destination: destination))
    }
}
