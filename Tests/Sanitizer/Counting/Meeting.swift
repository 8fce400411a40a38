import Glibc
import Synchronization

/// A barrier at which tasks wait for each other, so that each runs in its own thread if there are enough.
///
/// It uses relaxed atomics only, so that it does not order the tasks.
final class Meeting: Sendable {
    private let count: Int
    private let arrived = Atomic(0)

    init(of count: Int) {
        self.count = count
    }

    func wait() {
        arrived.wrappingAdd(1, ordering: .relaxed)
        // Limited, because with one thread the other tasks arrive only after this one continues.
        for _ in 0..<1_000_000 where arrived.load(ordering: .relaxed) < count { sched_yield() }
    }
}
