import AtriumKit

/// The check of the session that an earlier process left: a start waits for it, but not for long.
///
/// A server that takes its time does not hold up the start; the check then goes on beside it.
@MainActor
struct StartCheck {
    /// How long a start waits for the answer.
    static let patience = Duration.milliseconds(500)
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Starts a check as a task of the module, and waits until it or the patience is at an end.
    func run(in context: borrowing ActivationContext, _ check: @escaping @MainActor () async -> Void) async {
        let wait = Wait()
        context.run("session check") {
            await check()
            wait.end()
        }
        let clock = Task {
            try? await sleep(Self.patience)
            wait.end()
        }
        await wait.ended()
        clock.cancel()
    }

    /// What a start waits for, whichever comes first.
    @MainActor
    private final class Wait {
        private var isOver = false
        private var continuation: CheckedContinuation<Void, Never>?

        func end() {
            isOver = true
            continuation?.resume()
            continuation = nil
        }

        func ended() async {
            guard !isOver else { return }
            await withCheckedContinuation { continuation = $0 }
        }
    }
}
