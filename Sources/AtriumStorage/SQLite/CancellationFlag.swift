internal import Synchronization

/// Whether one job was cancelled; set by the caller's side, looked at while the job runs.
///
/// Every job has its own, so a cancellation that comes late can't reach the job after it.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)
    private let looksLeft: Atomic<Int>

    /// Whether the job has to be brief: it must not wait, and has only so many looks.
    let isBrief: Bool

    /// - Parameter looks: How often the job may look before it counts as cancelled; nil for ever.
    init(looks: Int? = nil) {
        isBrief = looks != nil
        looksLeft = Atomic(looks ?? .max)
    }

    /// Asks on behalf of the running statement, about every 20 µs of its work.
    func look() -> Bool {
        if isBrief, looksLeft.wrappingSubtract(1, ordering: .relaxed).newValue < 0 { cancel() }
        return isCancelled
    }

    var isCancelled: Bool {
        flag.load(ordering: .relaxed)
    }

    func cancel() {
        flag.store(true, ordering: .relaxed)
    }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
