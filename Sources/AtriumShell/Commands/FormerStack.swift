internal import AtriumNavigation

/// The stack as it was before a command.
@MainActor
struct FormerStack {
    /// The entries that were on it.
    let ids: Set<StackEntry.ID>
    private let current: StackEntry?

    init(_ coordinator: Coordinator) {
        ids = Set(coordinator.state.entries.map(\.id))
        current = coordinator.currentEntry
    }

    /// Whether a place was covered and has come back, so that what it shows may be out of date.
    ///
    /// Not where only a question of the host stood above it.
    func isShownAgain(_ place: StackEntry?) -> Bool {
        guard let place, current?.isOfHost != true else { return false }
        return place.id != current?.id && ids.contains(place.id)
    }
}
