@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime
internal import AtriumStorage
internal import Glibc

/// Carries out commands: those of the host, actions of the current screen, and `LINK [ACTION]`.
@MainActor
final class Interpreter {
    let host: ShellHost
    /// The host's commands that were used, by name.
    private var commands: [String: Action] = [:]
    /// The first words of commands that were looked for.
    private var knownWords: Set<String> = []
    /// The actions that take a secret, in one version of the container.
    private var knownSecrets: (version: Int, actions: Set<String>)?
    /// Asks for a secret without echo; nil where nobody can be asked.
    var askSecret: (@MainActor (ArgumentDescription) async throws -> String)?
    /// Whether a person gives the commands, who can be asked before something is destroyed.
    var canAsk = false
    /// Whether every such question is answered with yes.
    var answersYes = false
    /// The actions that wait for something that they presented, by its entry.
    var suspended: [StackEntry.ID: Suspended] = [:]
    /// The action that a guard kept back, until its place is shown.
    var keptBack: KeptBackAction?
    /// Who was signed in when the guards were asked last.
    private var person: String?

    init(host: ShellHost) {
        self.host = host
    }

    /// An action that waits for something that it presented, with the command that began it.
    struct Suspended {
        let run: ActionRun
        let target: Target
        let job: RunningJobs.Job
    }

    func isSuspended(_ job: RunningJobs.Job) -> Bool {
        suspended.values.contains { $0.job === job }
    }

    /// The names of the host's commands.
    var commandNames: [String] { HostCommands(host: host).all.map(\.name) }

    /// Carries out one command and keeps the place and the session, so that nothing of it can be lost.
    func run(_ command: Command) async -> Reply {
        var target: Target?
        let outcome: Reply.Outcome
        do {
            try Task.checkCancellation()
            noteWhoIsSignedIn()
            if let elsewhere = try await admit(command) {
                return Reply(command: text(of: command, nil), outcome: .done(elsewhere))
            }
            let resolved = try resolve(command)
            target = resolved
            let text = text(of: command, resolved)
            let activity = CrashHandler.begin(command: text, at: host.coordinator.currentEntry?.link)
            let job = host.display.jobs.begin(text: text, place: host.place)
            defer {
                host.display.count = { nil }
                if !isSuspended(job) { job.end() }
                activity.end()
            }
            outcome = .done(try await carryOut(resolved, command, job))
        } catch {
            let explained = UnexplainedError.explain(error)
            host.lastFailure.note(text(of: command, target), explained)
            outcome = .failed(explained)
        }
        return Reply(
            command: text(of: command, target), outcome: outcome,
            endsSession: target?.action?.name == HostCommands.exit && target?.isHost == true)
    }

    private func text(of command: Command, _ target: Target?) -> String {
        if target == nil, namesActionWithSecrets(command.words.map(\.text)) {
            return Redaction.firstWord(of: Redaction.plain(command))
        }
        return Redaction.text(of: command, action: target?.action, words: target?.skippedWords ?? 1)
    }

    /// The command as the history keeps it; nil where it is better kept out.
    func historyText(of command: Command) -> String? {
        let target = try? resolve(command)
        if target == nil, namesActionWithSecrets(command.words.map(\.text)) { return nil }
        return Redaction.history(of: command, action: target?.action, words: target?.skippedWords ?? 1)
    }

    // MARK: - Secrets

    /// A line that can't be read as commands, for programs: without what may be a secret.
    func text(ofUnreadable line: String) -> String {
        mayHoldSecret(line) ? Redaction.firstWord(of: line) : line
    }

    /// Whether a line that is not understood may hold a secret: it says so, or names an action that takes one.
    func mayHoldSecret(_ line: String) -> Bool {
        Redaction.mayHoldSecret(line)
            || namesActionWithSecrets(line.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Whether one of the first words is, or is nearly, the name of an action that takes a secret.
    private func namesActionWithSecrets(_ words: [String]) -> Bool {
        let names = actionsWithSecrets.map { $0.filter { $0 != "-" } }
        return words.prefix(3).contains { NearestName.of($0.filter { $0 != "-" }, among: names) != nil }
    }

    /// The names of the actions that take a secret, on all screens; these are built aside to be asked.
    private var actionsWithSecrets: Set<String> {
        let version = host.runtime.container.version
        if let known = knownSecrets, known.version == version { return known.actions }
        var names: Set<String> = []
        host.runtime.withViewsInSandbox(host.screens.all) { view in
            names.formUnion(view.actions.filter(\.takesSecrets).map(\.name))
        }
        knownSecrets = (version, names)
        return names
    }

    // MARK: - What has to be loaded first

    /// Loads the module whose link a command begins with, or whose screen is the current place, where it is
    /// loaded when it is first wanted, and asks the guards about what the command is for.
    ///
    /// - Returns: What is shown instead of the place that was asked for; nil where the command may be done.
    private func admit(_ command: Command) async throws -> Reply.Output? {
        guard hostCommand(command.words) == nil else { return nil }
        // A place that can't be shown keeps nothing else from working.
        try? await host.coordinator.loadCurrentModule()
        let first = command.words[0].text
        let link = try? Link(first)
        if let link, host.screens.screen(for: link) == nil { _ = try await host.wake(.link(link)) }
        if let link, host.screens.screen(for: link) != nil {
            return action(first, of: actionsHere) == nil ? try await look(at: link, command) : nil
        }
        guard !host.coordinator.isCurrentAllowed else { return nil }
        // The word can only mean an action of the current place, about which the guards were not asked yet.
        guard let arrival = try await host.coordinator.evaluateCurrentGuards() else { return nil }
        keptBack = KeptBackAction(command, on: arrival)
        return try await show(host.coordinator, message: DetourViews.message(arrival))
    }

    /// Asks the guards about a place that is looked at from elsewhere.
    private func look(at link: Link, _ command: Command) async throws -> Reply.Output? {
        guard let detour = try await host.coordinator.redirect(from: link) else { return nil }
        guard command.words.count == 1 else { throw detour.refusal }
        let elsewhere = host.coordinator.detached()
        let arrival = try await elsewhere.follow(detour)
        return try await show(elsewhere, message: DetourViews.message(arrival, isOnStack: false))
    }

    /// The actions of the current place, where it may be shown.
    private var actionsHere: [Action] {
        guard host.coordinator.isCurrentAllowed else { return [] }
        // A current screen whose module is gone must not keep other commands from working.
        return (try? host.coordinator.currentScreen())?.view.actions ?? []
    }

    /// Has the guards asked again where somebody else is signed in than before.
    func noteWhoIsSignedIn() {
        let present = SessionManager.shared.user?.id
        if present != person { host.coordinator.invalidateGuardResults() }
        person = present
    }

    // MARK: - What a command means

    /// What the first words of a command stand for.
    struct Target {
        /// What is done; nil where a place is only shown.
        var action: Action?
        /// Whose stack an action's outcome is shown on.
        let coordinator: Coordinator
        /// The place that has to be entered first, on a stack of its own.
        var visit: PreparedScreen?
        var isHost = false
        /// The entry on which an action began.
        var place: StackEntry.ID?
        /// The stack as it was before the command.
        var former: FormerStack?
        /// How many words stand before the arguments.
        let skippedWords: Int
    }

    /// Finds out what a command means, without doing anything.
    func resolve(_ command: Command) throws -> Target {
        let first = command.words[0].text
        if let (action, count) = hostCommand(command.words) {
            return Target(action: action, coordinator: host.coordinator, isHost: true, skippedWords: count)
        }
        let actions = actionsHere
        if let action = action(first, of: actions) {
            return Target(action: action, coordinator: host.coordinator, skippedWords: 1)
        }
        let isAnswer = command.words.count == 1 && host.coordinator.currentEntry?.isOfHost == true
        if isAnswer, let answer = answer(first, among: actions) {
            return Target(action: answer, coordinator: host.coordinator, skippedWords: 1)
        }
        do {
            return try resolveLink(command, currentActions: actions.map(\.name))
        } catch let error as CommandError where isAnswer && error.code == .unknownCommand {
            throw CommandError.noAnswer(first, answers: actions.map(\.name))
        }
    }

    /// The answer of a question that begins with what was typed, in any case: `y` for `yes`.
    private func answer(_ word: String, among answers: [Action]) -> Action? {
        let found = answers.filter { !word.isEmpty && $0.name.lowercased().hasPrefix(word.lowercased()) }
        return found.count == 1 ? found[0] : nil
    }

    /// The action that a word names, by its name or by its number in the list of command `actions`.
    private func action(_ word: String, of actions: [Action]) -> Action? {
        if let action = actions.first(where: { $0.name == word }) { return action }
        guard let number = Int(word), actions.indices.contains(number - 1) else { return nil }
        return actions[number - 1]
    }

    /// The host's command that the first words name, and how many they are: `container graph` before
    /// `container`.
    private func hostCommand(_ words: [Word]) -> (Action, Int)? {
        if knownWords.insert(words[0].text).inserted {
            for action in HostCommands(host: host).commands(beginningWith: words[0].text) {
                commands[action.name] = action
            }
        }
        if words.count > 1, let action = commands[words[0].text + " " + words[1].text] { return (action, 2) }
        return commands[words[0].text].map { ($0, 1) }
    }

    private func resolveLink(_ command: Command, currentActions: [String]) throws -> Target {
        let first = command.words[0].text
        let detached = host.coordinator.detached()
        guard let link = try? Link(first), let visit = try detached.prepare(link) else {
            if let link = try? Link(first), let reason = host.reasonAgainst(link) { throw reason }
            // An action of a place whose module is gone.
            if command.words.count == 1 { _ = try host.coordinator.currentScreen() }
            let links = host.knownLinks.map(\.pattern.description)
            throw CommandError.unknownCommand(first, known: commandNames + currentActions + links)
        }
        guard command.words.count > 1 else {
            return Target(coordinator: detached, visit: visit, skippedWords: 1)
        }
        let name = command.words[1].text
        let actions = visit.screen.view.actions
        guard let action = actions.first(where: { $0.name == name }) else {
            throw CommandError.unknownAction(name, of: first, known: actions.map(\.name))
        }
        return Target(action: action, coordinator: detached, visit: visit, skippedWords: 2)
    }
}
