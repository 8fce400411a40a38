@_spi(Host) internal import AtriumKit

extension Coordinator {
    /// Performs an operation that builds no screen, unless a screen objects.
    func leave(by operation: NavigationState.Operation, _ request: NavigationRequest) throws -> Arrival {
        if case .dismiss = operation { return try dismiss(request) }
        try checkObjections(to: operation, request)
        try Task.checkCancellation()
        let before = currentEntry?.id
        let transition = apply(operation)
        let hasMoved = before != currentEntry?.id || !transition.isEmpty
        // The guards of an entry that comes back are asked again.
        if let currentEntry, currentEntry.id != before { allowed.remove(currentEntry.id) }
        return Arrival(entry: currentEntry?.id, hasMoved: hasMoved)
    }

    private func dismiss(_ request: NavigationRequest) throws -> Arrival {
        guard let entry = state.entries.last(where: { $0.presentation != nil }) else {
            throw NavigationError.nothingPresented
        }
        try checkObjections(to: .dismiss, request)
        if let result = request.result, result.json != nil { end(entry, result) }
        apply(.dismiss)
        if let currentEntry { allowed.remove(currentEntry.id) }
        return Arrival(entry: currentEntry?.id, hasMoved: true)
    }

    /// The operation that `back` performs: after a redirect from an entry on the stack, it leaves both.
    ///
    /// Going back to that entry alone would redirect again, in an endless loop.
    var operationOfBack: NavigationState.Operation {
        let intent = currentEntry?.intents.first { $0.request.operation == .reveal }
        guard let intent, let index = state.entries.firstIndex(where: { $0.id == intent.request.entry })
        else {
            return .back
        }
        return index > 0 ? .pop(to: state.entries[index - 1].id) : .root
    }

    /// Checks the objections of the screen that a request for a new screen would replace.
    func checkObjections(to request: NavigationRequest) throws {
        guard request.operation == .replace, let currentEntry else { return }
        try check([currentEntry], request)
    }

    func checkObjections(to operation: NavigationState.Operation, _ request: NavigationRequest) throws {
        guard request.isForced != true else { return }
        // The fast path of the most frequent operation: one entry instead of the whole stack.
        if case .back = operation {
            guard let currentEntry, !objections(of: currentEntry).isEmpty else { return }
            return try check([currentEntry], request)
        }
        try check(state.applying(operation).transition.destroyed, request)
    }

    private func check(_ entries: [StackEntry], _ request: NavigationRequest) throws {
        guard request.isForced != true else { return }
        let objections = entries.flatMap { entry in
            self.objections(of: entry).map { NavigationError.Objection(link: entry.link, objection: $0) }
        }
        guard objections.isEmpty else { throw NavigationError.objected(objections, to: request) }
    }

    /// The link of the current screen, if it objects to being left: it has input that is not stored.
    package var unsavedLink: String? {
        currentEntry.flatMap { objections(of: $0).isEmpty ? nil : $0.link }
    }

    private func objections(of entry: StackEntry) -> [LeaveObjection] {
        // A screen of the last process objects by its saved state.
        if live[entry.id] == nil, !entry.state.isEmpty, let built = try? rebuild(entry) {
            live[entry.id] = built
            unloaded.insert(entry.id)
        }
        return live[entry.id]?.screen.viewModels.flatMap(\.leaveObjections) ?? []
    }
}
