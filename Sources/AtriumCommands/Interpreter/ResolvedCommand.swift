@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumNavigation

/// The meaning of a command, once it may be performed.
package struct ResolvedCommand {
    /// The action to perform; nil if only a screen is shown.
    var action: Action?
    /// The stack on which the action's result is shown.
    let coordinator: Coordinator
    /// The screen of another link, to be entered first, on a separate stack.
    var preview: PreparedScreen?
    var isHost = false
    /// The entry on which the action started.
    var entry: StackEntry.ID?
    var former: FormerStack?
    /// The number of words before the arguments of a command.
    var skippedWords = 0
    /// The command without its secrets, for later errors.
    var text = ""
    var tool: String?
    var variable: Interpreter.AssignedVariable?
    /// True if a host command only shows what it would change.
    var isPlan = false

    /// The module whose code it runs; nil for a host command.
    @MainActor
    var module: String? { isHost ? nil : preview?.module ?? coordinator.currentEntry?.module }

    /// True if it does more than read and navigate.
    var hasEffect: Bool { !isPlan && [.changes, .destroys].contains(action?.effect) }

    /// True if it may change data of modules.
    @MainActor
    func changesData(_ values: ArgumentValues) -> Bool {
        guard hasEffect, isHost, let action else { return hasEffect }
        // 'swift FILE --save' writes a test.
        return HostCommands.changingData.contains(action.name) && values["save"] == nil
    }

    /// True if the entry on which the action started is the current one, and was presented.
    @MainActor
    var isPresented: Bool {
        guard !isHost, let entry, let current = coordinator.currentEntry else { return false }
        return current.id == entry && current.presentation != nil
    }

    /// The confirmation to ask for first; nil if there is none, or it was answered.
    ///
    /// Taken from the screen as it is now, since the question may name what it shows.
    @MainActor
    func question(_ values: ArgumentValues) throws -> String? {
        guard let action, try !action.isAnswered(by: values) else { return nil }
        let present =
            isHost
            ? nil
            : try coordinator.currentScreen()?.view.listedActions.first { $0.name == action.name }
        return present?.question ?? action.question
    }

    /// The number of characters before the code of `swift` in its line; 0 for a program's call.
    func column(of request: Request) -> Int {
        guard case .command(let command) = request else { return 0 }
        return command.words.dropFirst(skippedWords).first?.column ?? 0
    }

    /// True for assertions, so that several can be about the command before them.
    @MainActor
    var leavesResult: Bool { isHost && HostCommands.withoutResult.contains(action?.name ?? "") }

    @MainActor
    var progress: Progress? { (try? coordinator.currentScreen())?.view.body.bounded.progress }
}

@MainActor
struct FormerStack {
    let ids: Set<StackEntry.ID>
    private let current: StackEntry?

    init(_ coordinator: Coordinator) {
        ids = Set(coordinator.state.entries.map(\.id))
        current = coordinator.currentEntry
    }

    /// True if an entry was covered and is current again, so that its content may be stale.
    ///
    /// Not if only a question of the host covered it.
    func isShownAgain(_ entry: StackEntry?) -> Bool {
        guard let entry, current?.isOfHost != true else { return false }
        return entry.id != current?.id && ids.contains(entry.id)
    }
}
