/// A submission that is under way on the main actor, whether somebody waits for it or not.
///
/// Who waits and is cancelled leaves at once; the submission goes on.
@MainActor
final class Submission {
    typealias Outcome = Result<SubmittedProfile, any Error>

    private var outcome: Outcome?
    private var waiting: CheckedContinuation<SubmittedProfile, any Error>?
    /// Called in the turn in which there is an outcome, before who waits goes on.
    private let whenSettled: @MainActor (Outcome, _ isAwaited: Bool) -> Void

    init(whenSettled: @escaping @MainActor (Outcome, _ isAwaited: Bool) -> Void) {
        self.whenSettled = whenSettled
    }

    /// Whether there is an outcome.
    var isSettled: Bool { outcome != nil }

    /// Begins `work`, in a task that nobody cancels.
    func begin(_ work: @escaping @MainActor () async throws -> SubmittedProfile) {
        Task.immediate {
            do { self.settle(.success(try await work())) } catch { self.settle(.failure(error)) }
        }
    }

    /// What became of it, for the one who waits.
    ///
    /// - Throws: Why it failed; `CancellationError` where the calling task is cancelled before.
    func value() async throws -> SubmittedProfile {
        if let outcome { return try outcome.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting = $0 }
        } onCancel: {
            // Runs in a later turn than the one that began to wait.
            Task { @MainActor in self.leave() }
        }
    }

    private func settle(_ outcome: Outcome) {
        self.outcome = outcome
        let waiting = waiting.take()
        whenSettled(outcome, waiting != nil)
        waiting?.resume(with: outcome)
    }

    private func leave() {
        waiting.take()?.resume(throwing: CancellationError())
    }
}

/// A profile that was submitted just now.
struct SubmittedProfile: Sendable {
    let change: ProfileChange
    /// Why the person was not notified; nil where they were.
    let untold: BusinessError?
}
