internal import AtriumRuntime
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Gets a person out of a command that does not heed Ctrl-C.
///
/// A command that still runs a second after Ctrl-C is told. Where it only waits, the next Ctrl-C gives the
/// prompt back and leaves it to itself. Where it holds the main actor, the next Ctrl-C ends the host, with a
/// record of what it was doing; its supervisor starts it again with everything that was kept.
final class HangGuard: Sendable {
    private static let patience = DispatchTimeInterval.seconds(1)

    private struct State {
        /// Counts the questions, so that a late answer to an earlier one counts for nothing.
        var question = 0
        /// Whether the main actor has answered the last question.
        var isAnswered = true
        /// Whether the person was told that the command goes on.
        var isTold = false
        var abandon: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "atrium.hang-guard")

    /// A command begins.
    ///
    /// - Parameter abandon: Gives the prompt back without waiting for it.
    func began(abandon: @escaping @Sendable () -> Void) {
        state.withLock { $0 = State(question: $0.question + 1, abandon: abandon) }
    }

    /// The command has ended, or was left to itself.
    func ended() {
        state.withLock { $0 = State(question: $0.question + 1) }
    }

    /// A person has pressed Ctrl-C.
    func interrupted() {
        let (isRunning, isTold, isAnswered, abandon) = state.withLock {
            ($0.abandon != nil, $0.isTold, $0.isAnswered, $0.abandon)
        }
        guard isRunning else { return }
        if isTold, !isAnswered { CrashHandler.reportHang() }
        if isTold { return abandon?() ?? () }
        ask()
    }

    private func ask() {
        let question = state.withLock { state in
            state.question += 1
            state.isAnswered = false
            return state.question
        }
        DispatchQueue.main.async { [self] in
            state.withLock { if $0.question == question { $0.isAnswered = true } }
        }
        queue.asyncAfter(deadline: .now() + Self.patience) { [self] in tell(question) }
    }

    private func tell(_ question: Int) {
        let isAnswered: Bool? = state.withLock { state in
            guard state.question == question, state.abandon != nil else { return nil }
            state.isTold = true
            return state.isAnswered
        }
        guard let isAnswered else { return }
        let next =
            isAnswered
            ? "gives the prompt back and leaves it to itself."
            : "ends the host, which its supervisor starts again."
        let text = Array("\nThe command does not heed Ctrl-C; another \(next)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
    }
}

/// What ends first: a command, or the patience of the person who waits for it.
@MainActor
final class CommandWait<Value: Sendable> {
    private var continuation: CheckedContinuation<Result<Value, any Error>, Never>?
    private var result: Result<Value, any Error>?

    /// Waits for the task, or for ``end(_:)``.
    func value(of task: Task<Value, any Error>) async throws -> Value {
        Task { self.end(await task.result) }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, any Error>, Never>) in
            if let result = self.result {
                continuation.resume(returning: result)
            } else {
                self.continuation = continuation
            }
        }
        return try result.get()
    }

    /// Ends the wait; later calls do nothing.
    func end(_ result: Result<Value, any Error>) {
        guard self.result == nil else { return }
        self.result = result
        continuation?.resume(returning: result)
        continuation = nil
    }
}
