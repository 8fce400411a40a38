import Glibc
import Synchronization

/// Where tasks wait until all have come, so that each runs in a thread of its own, as far as there are so many.
///
/// Nothing that it does orders what they do before and after.
final class Meeting: Sendable {
    private let count: Int
    private let arrived = Atomic(0)

    init(of count: Int) {
        self.count = count
    }

    func wait() {
        arrived.wrappingAdd(1, ordering: .relaxed)
        // On a machine with one core the others come when this one has gone on.
        for _ in 0..<1_000_000 where arrived.load(ordering: .relaxed) < count { sched_yield() }
    }
}
