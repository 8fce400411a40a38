@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// An action of the current place that was typed when a guard sent its person elsewhere first.
///
/// Done once where the place is gone on to, and forgotten where the detour is left otherwise. It is kept in
/// memory only, and never shown: it may hold a secret.
struct KeptBackAction {
    let command: Command
    /// The place that it was typed at.
    let place: StackEntry.ID?
    /// Where the guard sent its person.
    let detour: StackEntry.ID?

    @MainActor
    init(_ command: Command, on arrival: Arrival) {
        self.command = command
        place = arrival.redirect?.request.entry
        detour = arrival.entry
    }
}

extension Action {
    /// Whether it may be done some time after it was typed: what destroys, asks or signs in is typed again.
    fileprivate var mayBeDoneLater: Bool {
        (effect == .reads || effect == .changes) && question == nil && !takesSecrets
    }
}

extension Interpreter {
    /// Does the action that a guard kept back, where its place is the current one now; once at most.
    ///
    /// - Returns: What it shows, or why it was not done: its place is shown in any case.
    func doKeptBack(_ job: RunningJobs.Job) async throws -> Reply.Output {
        guard let kept = keptBack, let place = kept.place, place == host.coordinator.currentEntry?.id else {
            return Reply.Output()
        }
        keptBack = nil
        guard let target = try? resolve(kept.command), let action = target.action, !target.isHost,
            target.visit == nil
        else { return Reply.Output() }
        guard action.mayBeDoneLater else {
            return Reply.Output(message: "'\(action.name)' was not done; type it again.")
        }
        do {
            let done = Reply.Output(message: "'\(action.name)', which was typed before, is done now.")
            return done.followed(by: try await perform(target, kept.command, job))
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = UnexplainedError.explain(error).message
            return Reply.Output(message: "'\(action.name)' was not done: \(reason)")
        }
    }
}
