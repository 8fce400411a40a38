@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// An action that is being performed, and may wait for screens that it presents.
///
/// The command that began it ends when it waits; the command that dismisses the presented screen resumes it.
@MainActor
final class ActionRun {
    package enum Step {
        case finished(Result<ActionResult, any Error>)
        case waiting(StackEntry)
    }

    private var task: Task<Void, Never>?
    private var steps: [Step] = []
    private var awaiting: CheckedContinuation<Step, Never>?

    init(_ perform: @escaping @MainActor () async throws -> ActionResult) {
        // Starts in this turn: an update between the action and its start would miss what it changes.
        task = Task.immediate { [weak self] in
            let listener = PresentationListener { self?.take(.waiting($0)) }
            let result: Result<ActionResult, any Error>
            do {
                result = .success(try await listener.listen(to: perform))
            } catch {
                result = .failure(error)
            }
            self?.take(.finished(result))
        }
    }

    /// Waits until the action has ended or waits for something; if the caller is cancelled, so is the action.
    func next() async -> Step {
        await withTaskCancellationHandler {
            if !steps.isEmpty { return steps.removeFirst() }
            return await withCheckedContinuation { awaiting = $0 }
        } onCancel: {
            Task { @MainActor in self.task?.cancel() }
        }
    }

    private func take(_ step: Step) {
        guard let awaiting else { return steps.append(step) }
        self.awaiting = nil
        awaiting.resume(returning: step)
    }
}
