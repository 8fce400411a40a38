internal import AtriumCrash
@_spi(Host) internal import AtriumKit
package import AtriumLanguage
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumNavigation
package import AtriumText
internal import Glibc
internal import MainQueue

/// Runs commands: host commands, actions of the current screen, and `LINK [ACTION]`.
///
/// A command is resolved once: its words are looked up, the guards are evaluated, its screen is built; then
/// it is performed. Completion, history and redaction, which come earlier, use its declaration.
@MainActor
package final class Interpreter {
    let scene: Scene
    /// Host commands by name; filled lazily.
    private var commands: [String: Action] = [:]
    /// The subjects whose commands are not in `commands` yet.
    private var subjectsLeft = subjects[...]
    /// The subjects in the order of a search: first those of the commands that users type most.
    private static let subjects: [HostCommands.Subject] = {
        let first: [HostCommands.Subject] = [.navigate, .shell, .explore, .data]
        return first + HostCommands.Subject.allCases.filter { !first.contains($0) }
    }()
    /// Asks for a secret without echo, by its name; nil if no one can be asked.
    package var askSecret: (@MainActor (_ name: String) async throws -> String)?
    /// True if a user types the commands, who can confirm destructive actions.
    package var canAsk = false
    package var permission = Permission.code
    package var answersYes = false
    /// Asks elsewhere than at the prompt to confirm an action; takes the question and the summary.
    ///
    /// Returns nil if no user answers there: the permission is then the answer, but not for doubts.
    package var confirm: (@MainActor (_ question: String, _ summary: String) async throws -> Bool?)?
    /// The actions that wait for a presented screen, by its entry.
    var suspended: [StackEntry.ID: Suspended] = [:]
    /// The action that a guard deferred until its screen is shown.
    package var deferred: DeferredAction?
    /// The number of actions that were deferred so far.
    package private(set) var deferrals = 0
    /// The deferred actions that were never performed, until they are reported.
    private var notPerformed: [(command: String, error: ShellError)] = []
    private(set) var variables = Variables()
    /// The start time of the command whose result a variable holds, by the variable's name.
    private var assignedSince: [String: ContinuousClock.Instant] = [:]
    /// True if the previous command or its screen takes a secret, so the next word may be one.
    private(set) var isSecretLikely = false
    /// The user who was signed in when the guards were last evaluated.
    private var person: String?

    package init(scene: Scene) {
        self.scene = scene
        scene.variables = { [weak self] in self?.variables.names.filter { $0 != Variables.last } ?? [] }
    }

    var host: ShellHost { scene.host }
    package var declared: DeclaredActions { host.declared }

    /// An action that waits for a presented screen, with the command that started it.
    struct Suspended {
        let run: ActionRun
        let command: ResolvedCommand
        let job: RunningJobs.Job
    }

    /// The variable of a `let`, with the start time of its command.
    struct AssignedVariable {
        let name: String
        let since: ContinuousClock.Instant
    }

    package func isSuspended(_ job: RunningJobs.Job) -> Bool { suspended.values.contains { $0.job === job } }

    package func run(_ line: Command) async -> Reply { await run(.command(line)) }

    /// Runs a command or call, as the given job or as a new one.
    package func run(_ given: Request, as job: RunningJobs.Job? = nil) async -> Reply {
        let assignment = assignment(in: given)
        let variable = assignment.map { AssignedVariable(name: $0.name, since: job?.beganAt ?? .now) }
        var request = assignment.map { Request.command($0.prefixed.command) } ?? given
        var resolved: ResolvedCommand?
        /// The command without its secrets, once known.
        var knownText: String?
        var notDone: ShellError?
        var redirect: (any ExplainedError)?
        let outcome: Reply.Outcome
        // Only for typed commands: for a script's, this would cost more than the command.
        let takesSecrets = canAsk && scene.declaredActions.contains(where: \.arguments.takeSecrets)
        let prints = ModulePrints.Running(scene.coordinator.currentEntry?.module)
        let work = MainActorTime.begin(nil)
        defer {
            end(work, of: resolved)
            prints.end(hasRun: resolved?.isHost != true || resolved?.action?.effect != .reads)
        }
        do {
            try Task.checkCancellation()
            noteWhoIsSignedIn()
            if case .command(let command) = request { request = .command(try expand(command)) }
            if let topic = helpTopic(of: request) {
                outcome = .done(Reply.Output(content: try Help(scene: scene).content(about: topic)))
            } else {
                switch try await resolve(request) {
                case .redirected(let output, let refusal):
                    redirect = refusal
                    outcome = canAsk ? .done(output) : .failed(refusal)
                case .deferred(let action, let output):
                    knownText = action.text
                    deferred?.variable = variable
                    notDone = action.notDone(showing: output.content)
                    outcome = .done(output)
                case .command(var found):
                    (found.variable, found.tool) = (variable, request.tool)
                    found.text = text(of: request, found)
                    (resolved, knownText, work.module) = (found, found.text, found.module)
                    let output = try await perform(found, request, as: job, prints)
                    (outcome, notDone) = (.done(output), canAsk ? output.notDone : nil)
                }
            }
        } catch {
            let explained = ShellError.explain(error)
            scene.lastFailure = (knownText ?? text(of: request, resolved), explained)
            outcome = .failed(explained)
        }
        if case .done(let output) = outcome, notDone == nil, resolved?.leavesResult != true {
            variables.set(Variables.last, to: output)
            assign(output, to: variable)
        }
        var text = knownText ?? text(of: request, resolved)
        if let assignment { text = Redaction.text(of: assignment.prefixed, as: text) }
        noteSecrets(after: request, resolved, takesSecrets)
        let exits = resolved?.isHost == true && resolved?.action?.name == HostCommands.exit
        var reply = Reply(command: text, outcome: outcome, endsSession: exits && !scene.staysOnExit)
        (reply.deferred, reply.redirect) = (notDone, redirect)
        return reply
    }

    /// Performs a command; what is printed meanwhile belongs to the module of its screen.
    private func perform(
        _ found: ResolvedCommand, _ request: Request, as job: RunningJobs.Job?, _ prints: ModulePrints.Running
    ) async throws -> Reply.Output {
        if let preview = found.preview { prints.belongs(to: preview.module) }
        let output = try await perform(found, request, as: job)
        if found.isHost { prints.belongs(to: found.coordinator.currentEntry?.module) }
        return output
    }

    /// Notes whether the next word that is typed may be a secret.
    private func noteSecrets(after request: Request, _ resolved: ResolvedCommand?, _ takesSecrets: Bool) {
        guard case .command(let command) = request else { return }
        let isNext = resolved.map { $0.action?.arguments.takeSecrets == true }
        isSecretLikely =
            takesSecrets
            || isNext ?? (isSecretLikely || namesActionWithSecrets(command.words.map(\.text)))
    }

    private func assignment(in request: Request) -> (prefixed: PrefixedCommand, name: String)? {
        guard case .command(let line) = request, let prefixed = prefixed(line),
            case .assignment(let name) = prefixed.kind
        else { return nil }
        return (prefixed, name)
    }

    /// Sets the variable of a `let`, if any, unless a command that started later has set it.
    func assign(_ output: Reply.Output, to variable: AssignedVariable?) {
        guard let variable else { return }
        if let since = assignedSince[variable.name], since > variable.since { return }
        assignedSince[variable.name] = variable.since
        variables.set(variable.name, to: output)
    }

    private func text(of request: Request, _ resolved: ResolvedCommand?) -> String {
        switch request {
        case .command(let command): text(of: command, resolved)
        case .call(let call): call.text
        }
    }

    /// The command with the values of its variables; errors leave out the value if it may be secret.
    package func expand(_ command: Command) throws -> Command {
        do {
            return try variables.expand(command)
        } catch {
            let isAlone = command.words.count == 1 && !mayBeSecret(command.words[0].text)
            if isAlone || text(of: command, nil) == Redaction.plain(command) { throw error }
            throw ShellError(
                error.code, "A variable that the command refers to has no value.",
                hint: "Write '\\$' where a dollar sign is meant, as in a password.")
        }
    }

    /// The words that a command with the option `--help` asks about; nil for other commands.
    private func helpTopic(of request: Request) -> [String]? {
        guard case .command(let command) = request else { return nil }
        let options = command.words.prefix { !$0.isOption || $0.text != "--" }
        let isAsked = options.contains { $0.isOption && $0.text == "--help" }
        // `-h` may be a value for a module's action.
        let isShort =
            command.words.count > 1 && command.words.last.map { !$0.isQuoted && $0.text == "-h" } == true
        guard isAsked || isShort else { return nil }
        if case .action(let action, let count) = lookUp(command.words) {
            let isItsOwn = action.arguments.contains { $0.name == HostCommands.help }
            return isItsOwn ? nil : command.words.prefix(count).map(\.text)
        }
        return command.words.prefix { !$0.isOption && $0.text != "-h" }.prefix(2).map(\.text)
    }

    /// Performs a command as a job, and everything that follows from it.
    private func perform(
        _ resolved: ResolvedCommand, _ request: Request, as given: RunningJobs.Job?
    ) async throws -> Reply.Output {
        let activity = CrashHandler.begin(
            command: resolved.text, in: scene.name == Scene.main ? nil : scene.name, of: resolved.module)
        let job = given ?? scene.display.jobs.begin(text: resolved.text, link: scene.currentLink)
        defer {
            scene.display.progress = { nil }
            scene.taps.deliver()
            if given == nil, !isSuspended(job) { scene.display.jobs.end(job) }
            activity.end()
            noteWhoIsSignedIn()
        }
        var resolved = resolved
        resolved.former = FormerStack(scene.coordinator)
        let origin = CommandOrigin(scene: scene.name, command: resolved.text, link: job.link)
        var output = try await CommandOrigin.$current.withValue(origin) {
            try await measured(resolved, request, job)
        }
        do {
            try await resume(after: resolved, job, adding: &output)
        } catch  where !output.changes.isEmpty {
            throw ShellError.explain(error).following(output.changes)
        }
        return output
    }

    /// Counts the time of a command for its module, or for that of the screen to which it led.
    private func end(_ work: MainActorTime.Work, of resolved: ResolvedCommand?) {
        if work.module == nil, resolved?.action?.effect == .navigates {
            work.module = resolved?.coordinator.currentEntry?.module
        }
        let longest = work.end().longest
        guard longest >= .seconds(1), let module = work.module, host.runtime.module(module) != nil else {
            return
        }
        host.runtime.journal.record("slow", module: module, "It kept the prompt waiting.", took: longest)
    }

    /// Performs a command, and counts it on its screen.
    private func measured(
        _ resolved: ResolvedCommand, _ request: Request, _ job: RunningJobs.Job
    ) async throws -> Reply.Output {
        let asks = canAsk || confirm != nil
        let waitsForPerson =
            asks && resolved.action.map { $0.question != nil || $0.arguments.takeSecrets } == true
        guard let measured = MeasuredCommand(resolved, waitsForPerson: waitsForPerson) else {
            return try await perform(resolved, request, job)
        }
        var failed = true
        defer { measured.end(resolved, in: host.usage, failed: failed) }
        let output = try await perform(resolved, request, job)
        failed = false
        return output
    }

    /// Re-evaluates guards when the signed-in user has changed.
    package func noteWhoIsSignedIn() {
        let present = host.session.user?.id
        if present != person { scene.coordinator.invalidateGuardResults() }
        person = present
    }

    // MARK: - Deferred actions

    /// Records a deferred action that the script never ran.
    func note(_ action: DeferredAction, _ error: ShellError) {
        if !canAsk { notPerformed.append((action.text, error)) }
    }

    /// Returns, and clears, the deferred commands of a script that were not performed.
    package func takeNotPerformed() -> [(command: String, error: ShellError)] {
        defer { notPerformed = [] }
        return notPerformed
    }

    /// Drops the deferred action, as at the end of a script.
    package func dropDeferred() {
        if let deferred { drop(deferred) }
    }

    /// Drops the deferred action of a command whose result has nowhere to go later, and returns why.
    package func refuseDeferred() -> ShellError? {
        defer { deferred = nil }
        return deferred?.refused
    }

    /// Drops a deferred action whose redirect was left.
    func drop(_ action: DeferredAction) {
        note(action, action.notPerformed)
        deferred = nil
    }

    // MARK: - Resolving

    enum Resolution {
        case command(ResolvedCommand)
        /// The screen that a guard shows instead of a link's, and the refusal of the link.
        case redirected(Reply.Output, any ExplainedError)
        case deferred(DeferredAction, Reply.Output)
    }

    /// Looks up an action or screen, loads its module, and evaluates the guards of the screen.
    private func resolve(_ request: Request) async throws -> Resolution {
        switch request {
        case .command(let command): try await resolve(command)
        case .call(let call): try await resolve(call)
        }
    }

    private func resolve(_ call: Call) async throws -> Resolution {
        let coordinator = scene.coordinator
        switch call.target {
        case .command(let action):
            return .command(ResolvedCommand(action: action, coordinator: coordinator, isHost: true))
        case .answer(let name): return try await resolve(name, of: call)
        case .screen(let link, let name?) where link.description == coordinator.currentEntry?.link:
            return try await resolve(name, of: call)
        case .screen(let link, let name):
            try? await coordinator.loadCurrentModule()
            if let route = try await coordinator.route(to: link) {
                return try await resolve(route, of: link.description, name)
            }
            if let reason = host.reasonAgainst(link) { throw reason }
            return try await resolve(try await coordinator.find(link), of: link.description, name)
        }
    }

    /// Resolves an action of the current screen.
    private func resolve(_ name: String, of call: Call) async throws -> Resolution {
        try? await scene.coordinator.loadCurrentModule()
        if let deferral = try await deferral(of: .call(call), naming: name) { return deferral }
        let actions = currentActions
        if let found = action(name, here: actions) { return .command(found) }
        // Throws if the module of the screen was removed.
        _ = try scene.coordinator.currentScreen()
        throw Self.unknownAction(name, on: scene.currentLink, among: actions.map(\.name))
    }

    private func resolve(_ command: Command) async throws -> Resolution {
        let coordinator = scene.coordinator
        if let (action, count) = hostCommand(command.words) {
            if action.name == HostCommands.call {
                // Before the next words are read as arguments of 'call' itself.
                try HostCommands(scene: scene).checkTarget(of: command.words)
            }
            return .command(
                ResolvedCommand(action: action, coordinator: coordinator, isHost: true, skippedWords: count))
        }
        // A current screen that can't be shown must not prevent other commands.
        try? await coordinator.loadCurrentModule()
        let first = command.words[0].text
        if let found = action(first, here: currentActions) { return .command(found) }
        let link = try? Link(first)
        if let link, let route = try await coordinator.route(to: link) {
            return try await resolve(route, of: first, command.words.dropFirst().first?.text)
        }
        // The word can only name an action of the current screen.
        if let deferral = try await deferral(of: .command(command), naming: first) { return deferral }
        let actions = currentActions
        if let found = action(first, here: actions) { return .command(found) }
        if command.words.count == 1, coordinator.currentEntry?.isOfHost == true {
            guard let answer = answer(first, among: actions) else {
                let answers = actions.map(\.name).joined(separator: " or ")
                throw ShellError(
                    .unknownCommand, "'\(first.shortened)' does not answer the open question.",
                    hint: "Answer \(answers), or leave it unanswered: back")
            }
            return .command(ResolvedCommand(action: answer, coordinator: coordinator, skippedWords: 1))
        }
        if let link, let reason = host.reasonAgainst(link) { throw reason }
        // Throws if the module of the current screen was removed.
        if command.words.count == 1 { _ = try coordinator.currentScreen() }
        if let reason = host.reasonAgainst(command: first) { throw reason }
        // For two-word commands, the second word must be close too.
        let typed = command.words.prefix(2).map(\.text).joined(separator: " ")
        let names = firstWords.filter {
            !$0.hasPrefix("\(first) ") || NearestName.of(typed, among: [$0]) != nil
        }
        let meant = HostCommands.namesElsewhere[first].flatMap { name in
            names.contains(String(name.prefix { $0 != " " })) ? name : nil
        }
        throw ShellError.unknown(
            .unknownCommand, mayBeSecret(first) ? "…" : first, among: meant == nil ? names : [],
            else: meant.map { "Did you mean '\($0)'?" } ?? "'help' lists the commands, 'links' the screens."
        ) { "There is no command, action or link '\($0)'." }
    }

    /// Defers an action if a guard redirects from the current screen; nil if none does.
    private func deferral(of request: Request, naming word: String) async throws -> Resolution? {
        let coordinator = scene.coordinator
        guard !coordinator.isCurrentAllowed, mayNameAction(word) else { return nil }
        // As declared by its own screen; the screen of the redirect may take secrets.
        let name = Self.action(word, of: scene.declaredActions, name: \.name)?.name ?? "…"
        let text = text(of: request, nil)
        guard let arrival = try await coordinator.evaluateCurrentGuards() else { return nil }
        let action = DeferredAction(
            request: request, word: word, name: name, text: text, arrival: arrival,
            redirectLink: scene.currentLink)
        dropDeferred()
        deferred = action
        deferrals += 1
        return .deferred(action, try await show(coordinator, message: RedirectViews.message(arrival)))
    }

    private func resolve(_ route: Route, of link: String, _ name: String?) async throws -> Resolution {
        let detached = scene.coordinator.detached()
        if let redirect = try await scene.coordinator.redirect(from: route) {
            guard name == nil else { throw redirect.refusal }
            let arrival = try await detached.follow(redirect)
            let shown = try await show(detached, message: RedirectViews.message(arrival, isOnStack: false))
            return .redirected(shown, redirect.refusal.showing(shown.content))
        }
        let preview = try detached.build(route)
        guard let name else {
            return .command(ResolvedCommand(coordinator: detached, preview: preview, skippedWords: 1))
        }
        let actions = preview.screen.view.listedActions
        guard let action = actions.first(where: { $0.name == name }) else {
            throw Self.unknownAction(
                mayBeSecret(name, behind: link) ? nil : name, on: link, among: actions.map(\.name))
        }
        return .command(
            ResolvedCommand(action: action, coordinator: detached, preview: preview, skippedWords: 2))
    }

    /// Without a name if that may be a secret.
    static func unknownAction(_ name: String?, on link: String, among known: [String]) -> ShellError {
        let screen = "The screen '\(link.shortened)'"
        let hint = known.isEmpty ? "It has none." : "It has \(known.joined(separator: ", "))."
        guard let name else {
            return ShellError("unknownAction", "\(screen) has no such action.", hint: hint)
        }
        return ShellError.unknown("unknownAction", name, among: known, else: hint) {
            "\(screen) has no action '\($0)'."
        }
    }

    private var currentActions: [Action] {
        guard scene.coordinator.isCurrentAllowed else { return [] }
        // A current screen whose module was removed must not prevent other commands.
        return (try? scene.coordinator.currentScreen())?.view.listedActions ?? []
    }

    /// The words with which a command may begin.
    var firstWords: [String] {
        HostCommands(scene: scene).actions.map(\.name).sorted() + scene.declaredActions.map(\.name)
            + scene.knownLinks.map(\.pattern.description) + host.moduleCommands.keys.sorted()
    }

    /// True if a word may name an action of the current screen, according to its declarations.
    private func mayNameAction(_ word: String) -> Bool {
        guard let screen = scene.coordinator.currentRegistration, let actions = declared.actions(of: screen)
        else { return true }
        return Self.action(word, of: actions, name: \.name) != nil
    }

    private func action(_ word: String, here actions: [Action]) -> ResolvedCommand? {
        Self.action(word, of: actions, name: \.name).map {
            ResolvedCommand(action: $0, coordinator: scene.coordinator, skippedWords: 1)
        }
    }

    /// The action with a name, or with a number in the list of `actions`.
    static func action<Declared>(
        _ word: String, of actions: [Declared], name: KeyPath<Declared, String>
    ) -> Declared? {
        if let action = actions.first(where: { $0[keyPath: name] == word }) { return action }
        guard let number = Int(word), (1...actions.count + 1).contains(number) else { return nil }
        return actions.dropFirst(number - 1).first
    }

    /// The only answer to a question that begins with a word, in any letter case: `y` for `yes`.
    private func answer(_ word: String, among answers: [Action]) -> Action? {
        let found = answers.filter { !word.isEmpty && $0.name.lowercased().hasPrefix(word.lowercased()) }
        return found.count == 1 ? found[0] : nil
    }

    /// The host command that the first words name, and the number of those words: `container graph` before
    /// `container`.
    func hostCommand(_ words: [Word]) -> (Action, Int)? {
        var first = words[0].text
        if HostCommands.later.contains(first), isAction(first) { return nil }
        // A synonym such as `q` must not end the session when a question is open.
        if let name = HostCommands.synonyms[first], !words[0].isQuoted, !isAction(first),
            scene.coordinator.currentEntry?.isOfHost != true
        {
            first = name
        }
        if first == HostCommands.call, words.count > 1,
            let action = HostCommands(scene: scene).call(words[1].text)
        {
            return (action, 2)
        }
        let firstTwo = words.count > 1 ? first + " " + words[1].text : nil
        while true {
            // Commands that begin with the same word have the same subject.
            if let firstTwo, let action = commands[firstTwo] { return (action, 2) }
            if let action = commands[first] { return (action, 1) }
            guard let subject = subjectsLeft.popFirst() else { return nil }
            for action in HostCommands(scene: scene).actions(of: subject) { commands[action.name] = action }
        }
    }
}

extension ErrorCode { static let unknownCommand: ErrorCode = "unknownCommand" }
