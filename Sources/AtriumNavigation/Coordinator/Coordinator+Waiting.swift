@_spi(Host) internal import AtriumKit

// Links that no module had when they were opened: kept, announced once a module has them, never opened
// automatically.

extension Coordinator {
    var now: Timestamp { clock?.now() ?? Timestamp(microseconds: 0) }

    /// The links that wait for their module, the newest last.
    package var waitingLinks: [NavigationState.WaitingLink] {
        state.dropWaitingLinks(olderThan: now.adding(seconds: -NavigationState.WaitingLink.lifetime))
        return state.waitingLinks
    }

    /// Returns the waiting links that can be opened now, and stops waiting for them.
    package func takeAvailableLinks() -> [String] {
        guard !state.waitingLinks.isEmpty else { return [] }
        let unloaded = (unloadedPatterns?() ?? []).map { LinkPattern(stringLiteral: $0) }
        let available = waitingLinks.map(\.link).filter { text in
            guard let link = try? Link(text) else { return false }
            return screens.screen(for: link) != nil || unloaded.contains { $0.matches(link) }
        }
        for link in available { state.drop(link) }
        if !available.isEmpty { needsArchiving = true }
        // The current entry is shown again anyway.
        return available.filter { $0 != currentEntry?.link }
    }
}
