import Synchronization

/// Hands counts that come from any thread, and fast, to the main actor.
///
/// That gets the latest one whenever it has time.
final class ProgressRelay: Sendable {
    private struct State {
        var latest = 0
        var isOnItsWay = false
    }

    private let state = Mutex(State())
    private let show: @MainActor @Sendable (Int) -> Void

    /// - Parameter show: Called with counts that never fall.
    init(show: @escaping @MainActor @Sendable (Int) -> Void) {
        self.show = show
    }

    /// Takes a count.
    func send(_ count: Int) {
        let begins = state.withLock { state in
            state.latest = max(state.latest, count)
            defer { state.isOnItsWay = true }
            return !state.isOnItsWay
        }
        guard begins else { return }
        Task { @MainActor in self.deliver() }
    }

    @MainActor
    private func deliver() {
        show(
            state.withLock { state in
                state.isOnItsWay = false
                return state.latest
            })
    }
}
