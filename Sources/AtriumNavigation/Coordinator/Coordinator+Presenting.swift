@_spi(Host) internal import AtriumKit

/// A presenter that waits for the result of the entry that it presented.
@MainActor
struct PresentationWait {
    let continuation: CheckedContinuation<PresentedResult, any Error>
    let presenter: StackEntry.ID?
    /// Called when another entry replaces the presented one.
    let listener: PresentationListener?
}

/// Receives a call when the code of a task begins to wait for a result.
///
/// An object, because a task-local closure crashes in release builds of Swift 6.3.1.
@MainActor
package final class PresentationListener: Sendable {
    let didSuspend: @MainActor (StackEntry) -> Void

    /// The listener of the current task.
    @TaskLocal static var current: PresentationListener?

    package init(_ didSuspend: @escaping @MainActor (StackEntry) -> Void) {
        self.didSuspend = didSuspend
    }

    /// Runs code that may present.
    package func listen<Value>(to body: @MainActor () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self, operation: body)
    }
}

extension Coordinator {
    /// Presents something over the current entry and waits for its result.
    ///
    /// - Returns: The result; `.cancelled` if the entry was left without one.
    /// - Throws: The reason it can't be presented; `CancellationError` if the caller is cancelled.
    func present(_ item: PresentedItem, by presenter: StackEntry.ID?) async throws -> PresentedResult {
        if let main { return try await main.present(item, by: nil) }
        let (link, destination): (String, (any Destination)?) =
            switch item.target {
            case .destination(let destination): (try route(to: destination).name, destination)
            case .link(let link): (try Link(link).description, nil)
            }
        if isWithinNavigation { throw NavigationError.presentedWithinNavigation(link) }
        if destination is Alert, let open = state.entries.last(where: \.isOfHost) {
            throw NavigationError.questionIsOpen(question(of: open))
        }
        let request = NavigationRequest(.present, link: link, slot: item.slot)
        let queued = QueuedRequest(request, destination, isAwaited: true)
        guard let id = try await navigate(queued).entry else { throw CancellationError() }
        if presenting == id { presenting = nil }
        if let early = earlyResults.removeValue(forKey: id) { return early }
        guard let entry = state.entries.last(where: { $0.id == id && $0.presentation != nil }) else {
            throw CancellationError()
        }
        if let presenter { state.update(id) { $0.presentation?.presenter = presenter } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[id] = PresentationWait(
                    continuation: continuation, presenter: presenter, listener: PresentationListener.current)
                PresentationListener.current?.didSuspend(entry)
            }
        } onCancel: {
            Task { @MainActor in self.cancelWait(for: id) }
        }
    }

    /// Delivers the result of a presented entry to the waiting presenter, otherwise to its slot.
    func end(_ entry: StackEntry, _ result: PresentedResult) {
        if let wait = waiting.removeValue(forKey: entry.id) {
            wait.continuation.resume(returning: result)
        } else if entry.id == presenting {
            earlyResults[entry.id] = result
        } else if let presenter = entry.presentation?.presenter, let slot = entry.presentation?.slot,
            result.json != nil
        {
            state.update(presenter) {
                $0.results.append(StackEntry.PendingResult(slot: slot, result: result))
            }
            state.update(entry.id) { $0.presentation?.slot = nil }
        }
    }

    /// Delivers results that no presenter waited for to the view models of a loaded screen.
    ///
    /// - Throws: An error of a view model; that result is not delivered again.
    func deliverResults(to screen: Screen, of id: StackEntry.ID) async throws {
        while let pending = state.entries.last(where: { $0.id == id })?.results.first {
            state.update(id) { $0.results.removeFirst() }
            needsArchiving = true
            let result = ReturnedResult(slot: pending.slot, result: pending.result)
            for viewModel in screen.viewModels { try await viewModel.receive(result) }
        }
    }

    func cancelWait(for id: StackEntry.ID) {
        guard let wait = waiting.removeValue(forKey: id) else { return }
        leaveQuestions()
        wait.continuation.resume(throwing: CancellationError())
    }

    /// Cancels the waits of a presenter whose screen is rebuilt; the result goes to its slot.
    func cancelWaits(of presenter: StackEntry.ID) {
        for (id, wait) in waiting where wait.presenter == presenter { cancelWait(for: id) }
    }

    // MARK: - Questions

    /// Removes questions that no presenter waits for, as after a restart; see ``takeLeftQuestions()``.
    package func leaveQuestions() {
        let left = state.entries.filter { entry in
            entry.isOfHost && waiting[entry.id] == nil && entry.id != presenting
                && entry.presentation?.slot == nil
        }
        for entry in left {
            leftQuestions.append(question(of: entry))
            apply(.drop(entry.id))
        }
    }

    /// Returns the questions that were removed without an answer, and clears the list.
    package func takeLeftQuestions() -> [String] {
        defer { leftQuestions = [] }
        return leftQuestions
    }

    private func question(of entry: StackEntry) -> String {
        ((try? route(of: entry))?.destination as? Alert)?.title ?? entry.link
    }

    func isWaiting(_ presenter: StackEntry.ID) -> Bool {
        waiting.values.contains { $0.presenter == presenter }
    }
}
