@_spi(Host) internal import AtriumKit

extension Coordinator {
    /// Carries out an operation that goes to no new place, where nobody objects.
    func leave(by operation: NavigationState.Operation, _ request: NavigationRequest) throws -> Arrival {
        if case .dismiss = operation { return try dismiss(request) }
        try checkLeaving(operation, request)
        try Task.checkCancellation()
        let before = currentEntry?.id
        let transition = carryOut(operation)
        let hasMoved =
            before != currentEntry?.id || !transition.created.isEmpty || !transition.destroyed.isEmpty
        // What comes back is asked about again, and brought up to date.
        if let currentEntry, currentEntry.id != before { allowed.remove(currentEntry.id) }
        return Arrival(entry: currentEntry?.id, hasMoved: hasMoved)
    }

    /// Leaves what was presented last, and hands its result on.
    private func dismiss(_ request: NavigationRequest) throws -> Arrival {
        guard let entry = state.entries.last(where: { $0.presentation != nil }) else {
            throw NavigationError.nothingPresented()
        }
        try checkLeaving(.dismiss, request)
        if let result = request.result, result.json != nil { end(entry, result) }
        carryOut(.dismiss)
        if let currentEntry { allowed.remove(currentEntry.id) }
        return Arrival(entry: currentEntry?.id, hasMoved: true)
    }

    /// Asks the screens that a request for a new place would leave.
    func checkLeaving(of request: NavigationRequest) throws {
        guard request.operation == .replace, let currentEntry else { return }
        try check([currentEntry], request)
    }

    func checkLeaving(_ operation: NavigationState.Operation, _ request: NavigationRequest) throws {
        guard request.isForced != true else { return }
        // Without looking at the whole stack, as this is what people do all day.
        if case .back = operation {
            guard let currentEntry, !reasons(against: currentEntry).isEmpty else { return }
            return try check([currentEntry], request)
        }
        try check(state.applying(operation).transition.destroyed, request)
    }

    private func check(_ entries: [StackEntry], _ request: NavigationRequest) throws {
        guard request.isForced != true else { return }
        let objections = entries.flatMap { entry in
            reasons(against: entry).map { NavigationError.Objection(link: entry.link, objection: $0) }
        }
        guard objections.isEmpty else { throw NavigationError.objected(objections, to: request) }
    }

    private func reasons(against entry: StackEntry) -> [LeaveObjection] {
        // A screen that was not shown since the process began objects by its saved state.
        if live[entry.id] == nil, !entry.state.isEmpty, let built = try? rebuild(entry) {
            live[entry.id] = built
            unloaded.insert(entry.id)
        }
        return live[entry.id]?.screen.viewModels.flatMap(\.leaveObjections) ?? []
    }
}
