/// What comes of something that is under way on the main actor, for any number of callers.
///
/// A caller who is cancelled leaves at once; what is under way goes on unless it is told otherwise.
@MainActor
final class Outcome<Value: Sendable> {
    private var result: Result<Value, any Error>?
    private var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    private var places = 0
    private var whenSettled: [@MainActor (Result<Value, any Error>) -> Void] = []
    private let whenAbandoned: @MainActor () -> Void

    /// - Parameter whenAbandoned: Called when the last caller has left before there was a result.
    init(whenAbandoned: @escaping @MainActor () -> Void = {}) {
        self.whenAbandoned = whenAbandoned
    }

    /// Whether somebody waits for the result now.
    var isAwaited: Bool { !waiting.isEmpty }

    /// The result, waited for where there is none yet.
    ///
    /// - Throws: Why it failed; `CancellationError` where the calling task is cancelled.
    func value() async throws -> Value {
        if let result { return try result.get() }
        places += 1
        let place = places
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting[place] = $0 }
        } onCancel: {
            // Runs in a later turn than the one that took the place.
            Task { @MainActor in self.leave(place) }
        }
    }

    /// Calls `body` with the result, in the turn in which there is one and before those who wait go on.
    func whenSettled(_ body: @escaping @MainActor (Result<Value, any Error>) -> Void) {
        if let result { return body(result) }
        whenSettled.append(body)
    }

    /// Gives everybody the result; what comes after the first is ignored.
    func settle(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        let (bodies, continuations) = (whenSettled, waiting.sorted { $0.key < $1.key })
        (whenSettled, waiting) = ([], [:])
        for body in bodies { body(result) }
        for (_, continuation) in continuations { continuation.resume(with: result) }
    }

    private func leave(_ place: Int) {
        guard let continuation = waiting.removeValue(forKey: place) else { return }
        if waiting.isEmpty { whenAbandoned() }
        continuation.resume(throwing: CancellationError())
    }
}
