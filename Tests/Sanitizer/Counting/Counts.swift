import Glibc
import Synchronization

/// A counter without synchronization: a race.
final class UnguardedCounts: @unchecked Sendable {
    private(set) var hits = 0

    func hit() { hits += 1 }
}

/// A counter behind one lock: no race.
final class GuardedCounts: Sendable {
    private let state = Mutex(0)

    var hits: Int { state.withLock { $0 } }

    /// Yields while holding the lock, so that other threads have to wait for it.
    func hit() {
        state.withLock { hits in
            hits += 1
            sched_yield()
        }
    }

    func hitIfFree() { state.withLockIfAvailable { $0 += 1 } }
}

/// A counter behind two locks, of which each call takes only one: a race.
final class WronglyGuardedCounts: @unchecked Sendable {
    private let even = Mutex(())
    private let odd = Mutex(())
    private let turns = Atomic(0)
    private(set) var hits = 0

    func hit() {
        if turns.wrappingAdd(1, ordering: .relaxed).oldValue.isMultiple(of: 2) {
            even.withLock { _ in hitAndYield() }
        } else {
            odd.withLock { _ in hitAndYield() }
        }
    }

    private func hitAndYield() {
        hits += 1
        sched_yield()
    }
}

/// A counter in an actor: no race.
actor IsolatedCounts {
    private(set) var hits = 0

    func hit() { hits += 1 }
}
