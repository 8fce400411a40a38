package import AtriumCommands
@_spi(Host) package import AtriumKit
internal import AtriumLanguage
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumRedirection
package import AtriumText

/// Runs lines in a scene, and prints their results.
@MainActor
package final class LineRunner {
    let scene: Scene
    package let interpreter: Interpreter
    let printer: ReplyPrinter
    package let viewport: ViewportFeed
    let output: OutputStream
    let keepsGoing: Bool
    let usesPager: Bool
    /// The printer of the foreground command's replies, for script files that it runs.
    var foregroundPrinter: ReplyPrinter?
    /// The outcome of a script file that ended the session.
    var sourcedEnd: Outcome?
    var sourceDepth = 0
    /// The first status other than `done` of what does not end a script: a background command, or a link for
    /// which a guard showed another screen.
    var lateStatus = ExitStatus.done
    /// True if the host is ending: no further commands are run.
    var isEnding = false

    struct Outcome: Sendable {
        var status = ExitStatus.done
        var ends = false
        /// True if an action waits for its screen, or for the answer to its question.
        var isDeferred = false
        /// True if the command itself succeeded, and the status is that of a deferred action.
        var isOfDeferred = false
        /// The commands that made changes.
        var changes: [String] = []
    }

    typealias Commands = Result<[Command], ShellError>

    /// The destinations of output.
    @MainActor
    package struct Streams {
        var output: OutputStream
        var errors: OutputStream
        /// The width for errors; nil if they do not go to a terminal.
        var errorWidth: (@MainActor () -> Int)?

        package init(
            output: OutputStream = .standardOutput, errors: OutputStream = .standardError,
            errorWidth: (@MainActor () -> Int)? = Terminal.errorWidth
        ) {
            (self.output, self.errors, self.errorWidth) = (output, errors, errorWidth)
        }
    }

    init(_ scene: Scene, _ frontEnd: FrontEndDescription, _ streams: Streams, viewport: ViewportFeed) {
        self.scene = scene
        self.viewport = viewport
        output = streams.output
        keepsGoing = frontEnd.keepsGoing
        usesPager = frontEnd.hasPager && frontEnd.isPerson && frontEnd.isTerminal
        interpreter = Interpreter(scene: scene)
        interpreter.canAsk = frontEnd.isPerson
        interpreter.answersYes = frontEnd.answersYes
        printer = ReplyPrinter(
            isJSON: frontEnd.isJSON, width: { viewport.columns }, isTerminal: frontEnd.isTerminal,
            errorWidth: streams.errorWidth, style: frontEnd.style, errorStyle: frontEnd.errorStyle,
            separatesReplies: !frontEnd.isPerson, output: streams.output, errors: streams.errors)
        printer.now = { [clock = scene.host.clock] in clock?.now() }
        scene.coordinator.reportError = { [weak self] in self?.warn([ShellError.explain($0)]) }
        scene.display.prepare(
            for: frontEnd.isJSON ? .objects : frontEnd.drawsPictures ? .picture : .lines,
            style: frontEnd.style, viewport: viewport)
        scene.print = { [weak self, printer] in try (self?.foregroundPrinter ?? printer).print($0) }
        scene.isRedirected = { [weak self] in self?.foregroundPrinter != nil }
        scene.runScript = { [weak self] in try await self?.source($0, $1) }
        scene.announce = { [printer, display = scene.display] line in
            display.above { try? printer.print(line: line) }
        }
        scene.showOutput = { [printer, output] shown in
            try? printer.print(Reply(command: "dev", outcome: .done(shown)))
            try? output.flush()
        }
    }

    private var host: ShellHost { scene.host }

    var prompt: String {
        let sandbox = host.isSandbox ? "sandbox " : ""
        return "\(sandbox)\(host.environment.rawValue) \(host.person) \(scene.currentLink)> "
    }

    package func warn(_ errors: [any ExplainedError]) {
        for error in errors { try? printer.print(error, as: "warning") }
    }

    /// Prints the commands of a script that were never performed, and returns the status of what was left undone.
    func end() throws -> ExitStatus {
        interpreter.dropDeferred()
        let left = try printNotPerformed()
        keepState()
        try output.flush()
        return left == .done && scene.exitStatus == nil ? lateStatus : left
    }

    /// Prints the deferred commands of a script that were never performed.
    ///
    /// Their errors name `changes`, the commands that made changes before them.
    private func printNotPerformed(
        after changes: [String] = [], _ take: ((Reply) -> Void)? = nil
    ) throws -> ExitStatus {
        var status = ExitStatus.done
        for (command, error) in interpreter.takeNotPerformed() {
            let reply = Reply(command: command, outcome: .failed(error.following(changes)))
            if let take { take(reply) } else { try printer.print(reply) }
            if status == .done { status = ExitStatus(error) }
        }
        return status
    }

    package func failure(_ error: any Error) -> ExitStatus {
        let explained = ShellError.explain(error)
        try? printer.print(failure: explained)
        return ExitStatus(explained)
    }

    /// True if a script ends after a line.
    func stops(after outcome: Outcome) -> Bool {
        outcome.ends || outcome.status != .done && (!keepsGoing || outcome.status == .cancelled)
    }

    /// True if a script ends with `exit N`, whose status overrides earlier failures.
    func endsWithStatus(_ outcome: Outcome) -> Bool { outcome.ends && scene.exitStatus != nil }

    // MARK: - Lines

    func commands(in line: InputLine) -> Commands {
        line.flatMap { text in Result { () throws(ShellError) in try Lexer.commands(in: text) } }
    }

    /// Runs the commands of a line, up to the first that fails or is cancelled.
    func run(_ commands: Commands, of line: String?) async throws -> Outcome {
        if case .failure(let error) = commands {
            let command = line.map(interpreter.text(ofUnreadable:)) ?? "…"
            try printer.print(Reply(command: command, outcome: .failed(error)))
            return Outcome(status: ExitStatus(error))
        }
        var outcome = Outcome()
        let before = interpreter.deferrals
        for command in try commands.get() {
            let next = try await run(command)
            if outcome.status == .done { outcome.status = next.status }
            if stops(after: next) {
                return Outcome(
                    status: endsWithStatus(next) ? next.status : outcome.status, ends: next.ends)
            }
        }
        outcome.isDeferred =
            outcome.status == .done && interpreter.deferred != nil && interpreter.deferrals > before
        return outcome
    }

    /// Runs a program's call.
    ///
    /// - Returns: The first failed reply, of the call or of a deferred action; else the call's. The error of
    ///   a deferred action says whether the call was done.
    func reply(to call: Call) async throws -> Reply {
        var replies: [Reply] = []
        let context = CommandContext(printer: printer, take: { replies.append($0) })
        _ = try await perform(.call(call), in: context)
        let reply = replies[0]
        guard !reply.hasFailed, let left = replies.first(where: \.hasFailed),
            case .failed(let error) = left.outcome
        else { return reply }
        let changes = reply.changes.isEmpty ? [call.tool] : reply.changes
        return Reply(
            command: left.command, outcome: .failed(error.following(reply.deferred == nil ? changes : [])))
    }

    /// Performs a command or call, and prints its result.
    func perform(_ request: Request, in context: CommandContext) async throws -> Outcome {
        let job = context.job
        if isEnding { throw ShellError.hostEnds }
        try await scene.display.arrived()
        if job == nil, case .command(let command) = request {
            scene.display.beginProgress { Redaction.firstWord(of: Redaction.plain(command)) }
        }
        let deferrals = interpreter.deferrals
        var reply = await SessionManager.running(on: scene.coordinator) {
            await interpreter.run(request, as: job)
        }
        let isElsewhere = job != nil || context.target != nil
        let isShaped = context.columns != nil || !context.shapes.isEmpty
        if interpreter.deferrals > deferrals, isElsewhere, let error = interpreter.refuseDeferred() {
            reply = Reply(command: reply.command, outcome: .failed(error))
        }
        if isElsewhere || !context.shapes.isEmpty, let refusal = reply.redirect {
            // A file stays as it was.
            reply = Reply(command: reply.command, outcome: .failed(refusal.showing(nil)))
        }
        if isShaped {
            reply = reply.keeping(
                columns: context.columns, context.shapes, forPrograms: context.printer.isJSON)
        }
        if job == nil { scene.display.endProgress() }
        keepState(isUrgent: false)
        do {
            // Output failed before it did anything: a failure of standard output ends the script.
            if case .failed(let error as ShellError) = reply.outcome, error.isOfOutput { throw error }
            try await show(reply, in: context)
            if !reply.changes.isEmpty { try await written(in: context) }
        } catch let error as ShellError where error.isOfOutput {
            throw error.following(reply.changes)
        }
        warn(await scene.didRun())
        var outcome = Outcome(isDeferred: reply.deferred != nil, changes: reply.changes)
        if reply.redirect != nil {
            if reply.hasFailed, lateStatus == .done { lateStatus = .refused }
        } else if case .failed(let error) = reply.outcome {
            outcome.status = ExitStatus(error)
            if !keepsGoing || outcome.status == .cancelled { return outcome }
        }
        // The reply to a program's call names its changes.
        let isShown = context.target == nil && foregroundPrinter == nil
        let left = try printNotPerformed(after: isShown ? [] : reply.changes, context.take)
        if outcome.status == .done { (outcome.status, outcome.isOfDeferred) = (left, left != .done) }
        if left != .done, !keepsGoing { return outcome }
        if let sourced = takeSourcedEnd() { return sourced }
        if reply.endsSession {
            outcome.ends = true
            outcome.status = scene.exitStatus ?? outcome.status
        }
        return outcome
    }

    /// Waits until a command's output has arrived, wherever it goes; it is too late for a cancellation.
    private func written(in context: CommandContext) async throws {
        try context.printer.flush()
        do {
            guard let target = context.target else { return try await scene.display.written() }
            _ = try await target.drained()
        } catch let error as ShellError where context.target != nil {
            try context.printer.fail(error)
        } catch is CancellationError {}
    }

    /// Saves the stacks and the session; unless urgent, stacks may wait, as their cost grows with their
    /// depth.
    package func keepState(isUrgent: Bool = true) {
        do {
            try host.keep(isUrgent)
        } catch {
            warn([ShellError.explain(error)])
        }
    }

    /// The line as kept in the history, without secrets; nil to keep nothing.
    func history(of line: String, _ commands: Commands) -> String? {
        let joined = line.replacing("\\\n", with: "")
        guard case .success(var commands) = commands else {
            return interpreter.mayHoldSecret(joined) ? nil : line
        }
        let isWritten = commands.contains { $0.destination != nil || !$0.shapes.isEmpty }
        if isWritten, Redaction.mayHoldSecret(joined) { return nil }
        commands = commands.map { interpreter.expandNames($0) }
        let texts = commands.map { interpreter.declaredText(of: $0, marksSecrets: false) }
        let isPlain = texts == commands.map { Redaction.plain($0) }
        let kept = isPlain ? line : texts.compactMap { $0 }.joined(separator: "; ")
        return commands.isEmpty || kept.isEmpty ? nil : kept
    }

    /// The first line that a user reads.
    var greeting: String {
        let active = host.runtime.modules.filter(\.state.isActive).count
        let modules = RecordNoun("module").counted(active)
        return "Atrium \(HostVersion.current), environment \(host.environment.rawValue), \(modules) active. "
            + (host.isSandbox
                ? "This is a sandbox: its changes, but for snapshots, are gone when it ends. " : "")
            + "'help' lists the commands, Tab completes, Ctrl-D leaves."
    }
}

extension ShellError {
    /// A command that was not started because the host is ending.
    package static let hostEnds = ShellError(
        "hostEnds", "The host is ending; the rest was not run.",
        hint: "Enter the rest again when the host is running.")
}
