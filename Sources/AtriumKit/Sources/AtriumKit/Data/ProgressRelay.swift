internal import Synchronization

/// Passes frequent counts from any thread to the main actor, which gets the latest one when it has time.
public final class ProgressRelay: Sendable {
    private struct State {
        var latest = 0
        var isScheduled = false
    }

    private let state = Mutex(State())
    private let show: @MainActor @Sendable (Int) -> Void

    /// - Parameter show: Called with counts that never decrease.
    public init(show: @escaping @MainActor @Sendable (Int) -> Void) {
        self.show = show
    }

    /// Passes on a count.
    public func send(_ count: Int) {
        let schedules = state.withLock { state in
            state.latest = max(state.latest, count)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard schedules else { return }
        Task { @MainActor in self.deliver() }
    }

    @MainActor
    private func deliver() {
        show(
            state.withLock { state in
                state.isScheduled = false
                return state.latest
            })
    }
}
