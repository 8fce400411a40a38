@_spi(Host) package import AtriumKit

/// Who waits for the result of a presented entry.
@MainActor
struct PresentationWait {
    let continuation: CheckedContinuation<PresentedResult, any Error>
    let presenter: StackEntry.ID?
    /// Told where the result of another entry is waited for from now on.
    let listener: PresentationListener?
}

extension Coordinator {
    package func present(_ item: PresentedItem) async throws -> PresentedResult {
        try await present(item, by: nil)
    }

    /// Presents something over the current place and waits for its result.
    ///
    /// - Parameters:
    ///   - item: What is presented.
    ///   - presenter: The entry whose view model presents.
    /// - Returns: The result, or that it was left without one.
    /// - Throws: What keeps it from being presented; `CancellationError` where nobody waits any more.
    func present(_ item: PresentedItem, by presenter: StackEntry.ID?) async throws -> PresentedResult {
        if let main { return try await main.present(item, by: nil) }
        let asked: QueuedRequest
        switch item.target {
        case .destination(let destination):
            let target = try target(of: destination)
            asked = QueuedRequest(
                NavigationRequest(.present, link: target.name, slot: item.slot), destination, isAwaited: true)
        case .link(let link):
            asked = QueuedRequest(
                NavigationRequest(.present, link: try Link(link).description, slot: item.slot),
                isAwaited: true)
        }
        if isWithinNavigation {
            throw NavigationError.presentedWithinNavigation(asked.request.link ?? "")
        }
        guard let id = try await navigate(asked).entry else { throw CancellationError() }
        if presenting == id { presenting = nil }
        if let early = endedEarly.removeValue(forKey: id) { return early }
        guard let entry = state.entries.last(where: { $0.id == id && $0.presentation != nil }) else {
            throw CancellationError()
        }
        if let presenter { state.update(id) { $0.presentation?.presenter = presenter } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[id] = PresentationWait(
                    continuation: continuation, presenter: presenter, listener: PresentationListener.current)
                PresentationListener.current?.suspended(at: entry)
            }
        } onCancel: {
            Task { @MainActor in self.giveUpWaiting(for: id) }
        }
    }

    package func dismiss(_ result: PresentedResult) async throws {
        if let main, !state.entries.contains(where: { $0.presentation != nil }) {
            return try await main.dismiss(result)
        }
        try await navigate(NavigationRequest(.dismiss, result: result, isForced: result.json != nil))
    }

    /// Hands a presented entry's result to whoever waits for it, else to the slot that it was presented for.
    func end(_ entry: StackEntry, _ result: PresentedResult) {
        if let wait = waiting.removeValue(forKey: entry.id) {
            wait.continuation.resume(returning: result)
        } else if entry.id == presenting {
            endedEarly[entry.id] = result
        } else if let presenter = entry.presentation?.presenter, let slot = entry.presentation?.slot,
            result.json != nil
        {
            state.update(presenter) {
                $0.results.append(StackEntry.PendingResult(slot: slot, result: result))
            }
            state.update(entry.id) { $0.presentation?.slot = nil }
        }
    }

    /// Hands the view models of a loaded screen the results that nobody waited for.
    ///
    /// - Throws: What a view model makes of one; it is not handed out again.
    func deliverResults(to screen: Screen, of id: StackEntry.ID) async throws {
        while let kept = state.entries.last(where: { $0.id == id })?.results.first {
            state.update(id) { $0.results.removeFirst() }
            needsArchiving = true
            let result = ReturnedResult(slot: kept.slot, result: kept.result)
            for viewModel in screen.viewModels { try await viewModel.receive(result) }
        }
    }

    private func giveUpWaiting(for id: StackEntry.ID) {
        waiting.removeValue(forKey: id)?.continuation.resume(throwing: CancellationError())
    }

    /// Ends the waiting of a presenter whose screen is built anew; its slot takes the result.
    func giveUpWaiting(of presenter: StackEntry.ID) {
        for (id, wait) in waiting where wait.presenter == presenter { giveUpWaiting(for: id) }
    }

    /// Whether a view model of the entry waits for something that it presented.
    func isWaiting(_ presenter: StackEntry.ID) -> Bool {
        waiting.values.contains { $0.presenter == presenter }
    }
}
