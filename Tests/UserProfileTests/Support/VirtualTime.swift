import AtriumKit
import AtriumTesting
import Synchronization

/// A clock that only the test advances.
///
/// A sleep ends when its time has come or its task is cancelled.
final class VirtualTime: WallClock {
    private struct State {
        var elapsed = Duration.zero
        var sleepers: [Int: (end: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var count = 0
        var cancelled: Set<Int> = []
        var awaited: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())
    private let start = FixedClock().now()

    /// The time that has passed.
    var elapsed: Duration { state.withLock { $0.elapsed } }

    func now() -> Timestamp {
        start.adding(seconds: Int(elapsed.components.seconds))
    }

    /// Waits until `duration` has passed.
    func sleep(_ duration: Duration) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(number, duration, continuation)
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(
        _ number: Int, _ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let (isCancelled, awaited) = state.withLock { state in
            guard !state.cancelled.contains(number) else {
                return (true, nil as CheckedContinuation<Void, Never>?)
            }
            state.sleepers[number] = (state.elapsed + duration, continuation)
            guard let awaited = state.awaited, state.sleepers.count >= awaited.count else {
                return (false, nil)
            }
            state.awaited = nil
            return (false, awaited.continuation)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        awaited?.resume()
    }

    /// Returns once `count` tasks sleep.
    func sleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.awaited = (count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Advances the time and ends the sleeps whose time has come.
    func advance(_ duration: Duration) {
        let awake = state.withLock { state in
            state.elapsed += duration
            let elapsed = state.elapsed
            let awake = state.sleepers.filter { $0.value.end <= elapsed }
            for number in awake.keys { state.sleepers[number] = nil }
            return awake.values.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }
}
