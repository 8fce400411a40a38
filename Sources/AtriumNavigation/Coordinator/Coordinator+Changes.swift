@_spi(Host) package import AtriumKit

extension Coordinator {
    /// The places whose screens hold something of what a change of the container exchanges.
    package func entries(affectedBy change: ContainerChange) -> [StackEntry] {
        let screens = Set(
            (change.changed + change.affected).filter { $0.layer == .screen }.map {
                ObjectIdentifier($0.type)
            })
        return state.entries.filter { entry in
            live[entry.id].map { screens.contains($0.destination) } ?? false
        }
    }

    /// Builds the screens anew that hold something of what was exchanged, with their saved state, when they
    /// are next shown; those on which an action runs, when that has ended.
    ///
    /// An action that waits for something
    /// that it presented ends: the slot takes the result.
    package func rebuildScreens(after change: ContainerChange) {
        for entry in entries(affectedBy: change) {
            if isWaiting(entry.id) { giveUpWaiting(of: entry.id) }
            if busy[entry.id] == nil { rebuildLater(entry.id) } else { outdated.insert(entry.id) }
        }
        forgetTypes()
    }

    /// Keeps the places as data only: their types may belong to a generation that has left.
    private func forgetTypes() {
        state.updateAll { entry in
            var entry = entry
            // What can't be expressed was told when it was to be kept.
            if let frozen = try? entry.properties.frozen { entry.properties = frozen }
            return entry
        }
    }

    /// Runs an action on the screen of the current place, which stays the same until the action has ended.
    package func withAction<Result>(_ action: () async throws -> Result) async rethrows -> Result {
        let id = beginAction()
        defer { endAction(on: id) }
        return try await action()
    }

    /// Begins an action on the screen of the current place, which ends elsewhere.
    ///
    /// - Returns: The place, for ``endAction(on:)``; nil at the root.
    package func beginAction() -> StackEntry.ID? {
        guard let id = currentEntry?.id else { return nil }
        busy[id, default: 0] += 1
        return id
    }

    /// Ends an action that began on a place.
    package func endAction(on id: StackEntry.ID?) {
        guard let id else { return }
        busy[id] = busy[id].flatMap { $0 > 1 ? $0 - 1 : nil }
        if busy[id] == nil, outdated.remove(id) != nil { rebuildLater(id) }
    }

    /// Keeps what is to be kept of a screen, and lets go of it.
    private func rebuildLater(_ id: StackEntry.ID) {
        try? keepState(of: id)
        guard let live = live.removeValue(forKey: id) else { return }
        unloaded.remove(id)
        needsArchiving = true
        live.screen.entry.leave()
        let link = state.entries.first { $0.id == id }?.link ?? ""
        left.watch(live.screen.entry, of: link)
    }
}
