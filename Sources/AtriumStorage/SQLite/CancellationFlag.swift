internal import Synchronization

/// Whether one job was cancelled; set by the caller's side, looked at while the job runs.
///
/// Every job has its own, so a cancellation that comes late can't reach the job after it.
final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

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
