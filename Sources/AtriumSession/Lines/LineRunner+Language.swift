internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumRedirection
internal import AtriumText
internal import Glibc

/// The printer and the job of a command.
@MainActor
struct CommandContext {
    var printer: ReplyPrinter
    /// The destination of its result, instead of the screen.
    var target: (any ResultTarget)?
    /// The job of a background command; nil in the foreground.
    var job: RunningJobs.Job?
    /// The columns of a table to show; nil for all.
    var columns: [String]?
    /// The steps that change its table before it is printed.
    var shapes: [TableShape] = []
    /// Takes the replies to a program's call, which are not printed.
    var take: ((Reply) -> Void)?
}

/// The shell's language around commands: aliases, repetition, timing, files and programs, background jobs.
extension LineRunner {
    func run(_ command: Command) async throws -> Outcome {
        try await run(command, in: CommandContext(printer: foregroundPrinter ?? printer))
    }

    private func run(_ command: Command, in context: CommandContext) async throws -> Outcome {
        if PrefixedCommand.areTooMany(in: command.words) { return try refusePrefixes(of: command, context) }
        var command = interpreter.expandNames(command)
        if PrefixedCommand.areTooMany(in: command.words) { return try refusePrefixes(of: command, context) }
        if command.isInBackground, context.job == nil {
            command.isInBackground = false
            return try start(command, context)
        }
        command.isInBackground = false
        if let destination = command.destination {
            command.destination = nil
            return try await run(command, writingTo: destination, context)
        }
        var context = context
        do {
            let options = try outputOptions(of: &command)
            if options.isJSON { context.printer = context.printer.inJSON() }
            if let columns = options.columns { context.columns = columns }
            context.shapes += try command.shapes.map { words in
                try TableShape(interpreter.expand(Command(words: words)).words.map(\.text))
            }
            command.shapes = []
            try TableShape.check(context.shapes)
        } catch {
            return try fail(command, error, context)
        }
        guard let prefixed = interpreter.prefixed(command) else {
            return try await perform(.command(command), in: context)
        }
        switch prefixed.kind {
        case .assignment: return try await perform(.command(command), in: context)
        case .repetition(let count): return try await run(prefixed.command, times: count, context)
        case .timing:
            let start = ContinuousClock.now
            let outcome = try await run(prefixed.command, in: context)
            guard !outcome.isDeferred else { return outcome }
            let time = start.duration(to: .now).decimal(in: .milliseconds(1), digits: 3)
            try printer.print(line: "It took \(time) ms.")
            return outcome
        case .alias(let name):
            return try alias(name, for: prefixed.command, command, context)
        }
    }

    /// Gives the beginning of a command a name, or takes it away.
    private func alias(
        _ name: String, for target: Command, _ command: Command, _ context: CommandContext
    ) throws -> Outcome {
        let words = target.words
        guard context.shapes.isEmpty, words.count > 1 || !words[0].text.contains(where: \.isWhitespace)
        else {
            let error = ShellError(
                .invalidArgument,
                "An alias stands for the beginning of one command, without '|', '>' and ';'.",
                hint: "alias NAME entities list")
            return try fail(command, error, context)
        }
        let text = interpreter.text(of: target, nil)
        // An alias for its own name removes the alias.
        let isRemoved = words.map(\.text) == [name]
        scene.aliases[name] = isRemoved ? nil : Alias(words: words, text: text)
        let message =
            isRemoved
            ? "'\(name.shortened)' is no alias any more." : "'\(name.shortened)' stands for '\(text)'."
        let reply = Reply.Output(message: message, content: Content())
        try print(Reply(command: "alias", outcome: .done(reply)), in: context)
        return Outcome()
    }

    private func refusePrefixes(of command: Command, _ context: CommandContext) throws -> Outcome {
        var start = command
        start.words = Array(command.words.prefix(1))
        let error = ShellError(
            "tooManyPrefixes",
            "A command may have at most \(PrefixedCommand.maximumCount) prefixes such as 'let', 'repeat' and 'time'.",
            hint: nil)
        return try fail(start, error, context)
    }

    /// Takes output options from the end of a command, unless it declares options of these names.
    private func outputOptions(of command: inout Command) throws -> OutputOptions {
        guard command.words.suffix(2).contains(where: { $0.isOption }) else { return OutputOptions() }
        if case .alias = interpreter.prefixed(command)?.kind { return OutputOptions() }
        var own: Set<String> = []
        if case .action(let action, _) = interpreter.lookUp(command.words) {
            own = Set(action.arguments.map(\.name))
            if HostCommands.withOwnOutput.contains(action.name) { own.insert("columns") }
        }
        return try OutputOptions.take(from: &command) { own.contains($0) }
    }

    private func run(_ command: Command, times: Int, _ context: CommandContext) async throws -> Outcome {
        var outcome = Outcome()
        for _ in 0..<times {
            let former = outcome
            outcome = try await run(command, in: context)
            outcome.changes = former.changes + outcome.changes.filter { !former.changes.contains($0) }
            if stops(after: outcome) { return outcome }
            if former.status != .done {
                (outcome.status, outcome.isOfDeferred) = (former.status, former.isOfDeferred)
            }
            guard try await context.target?.drained() != false else { break }
            // Let other tasks run: each command may end without suspending.
            await Task.yield()
            if Task.isCancelled { return Outcome(status: .cancelled, changes: outcome.changes) }
        }
        return outcome
    }

    // MARK: - Files and programs

    private func run(
        _ command: Command, writingTo destination: OutputRedirection, _ context: CommandContext
    ) async throws -> Outcome {
        // The output of a program comes after what was printed before it.
        if case .program = destination { try context.printer.flush() }
        let target: any ResultTarget
        let paths = TypedPaths(scene)
        do {
            target = try await scene.open(try expand(destination, paths))
        } catch {
            return try fail(command, paths.named(error), context)
        }
        var inner = context
        inner.target = target
        let output = OutputStream(name: target.name, isOfCommand: true) { target.write($0) }
        inner.printer = printer.redirected(to: output, isJSON: printer.isJSON)
        let former = foregroundPrinter
        if context.job == nil { foregroundPrinter = inner.printer }
        defer { if context.job == nil { foregroundPrinter = former } }
        var outcome = Outcome(status: .failed)
        // The failure, and whether it occurred elsewhere than in the target.
        var (failure, isElsewhere) = ((any Error)?.none, false)
        do {
            outcome = try await run(command, in: inner)
            try output.flush()
        } catch {
            failure = error
            isElsewhere = output.failure == nil
        }
        do {
            try await target.close(
                keeps: failure == nil && (outcome.status == .done || outcome.isOfDeferred))
        } catch {
            failure = failure ?? error
        }
        guard let failure else { return outcome }
        if isElsewhere, !(failure is CancellationError) { throw failure }
        if failure is CancellationError, outcome.status == .cancelled { return outcome }
        // The error names the commands that made changes.
        let failed = try fail(
            command, ShellError.explain(paths.named(failure)).following(outcome.changes), context)
        if outcome.status == .done || outcome.status == .failed { outcome.status = failed.status }
        return outcome
    }

    private func expand(
        _ destination: OutputRedirection, _ paths: TypedPaths
    ) throws -> OutputRedirection {
        guard case .file(let word, let appends) = destination else { return destination }
        var file = try interpreter.expand(Command(words: [word])).words[0]
        guard !file.text.isEmpty else {
            throw ShellError(
                "badFile", "The name of the file after '\(appends ? ">>" : ">")' is empty.",
                hint: "Name a file.",
                category: .usage)
        }
        file.text = try paths.resolveForFrontEnd(file.text)
        return .file(file, appends: appends)
    }

    private func fail(
        _ command: Command, _ error: any Error, _ context: CommandContext
    ) throws -> Outcome {
        let explained = ShellError.explain(error)
        let text = interpreter.text(of: command, nil)
        try print(Reply(command: text, outcome: .failed(explained)), in: context)
        return Outcome(status: ExitStatus(explained))
    }

    // MARK: - The background

    private func start(_ command: Command, _ context: CommandContext) throws -> Outcome {
        guard scene.display.jobs.inBackground.count < RunningJobs.limit else {
            throw ShellError(
                "tooManyJobs", "This front end already runs \(RunningJobs.limit) commands in the background.",
                hint: "Wait for them with 'wait', or end one with 'cancel'; 'jobs' lists their numbers.")
        }
        let text = interpreter.text(of: command, nil)
        let job = scene.display.jobs.begin(text: text, link: scene.currentLink)
        job.isInBackground = true
        var context = context
        context.job = job
        job.task = Task { [weak self] in
            var status = ExitStatus.failed
            do {
                status = try await RunningJobs.$runsInBackground.withValue(true) {
                    try await self?.run(command, in: context).status ?? .failed
                }
            } catch {
                self?.warn([ShellError.explain(error)])
            }
            self?.didEnd(job, status)
        }
        try printer.print(line: "Job \(job.number) runs in the background: \(text)")
        return Outcome()
    }

    private func didEnd(_ job: RunningJobs.Job, _ status: ExitStatus) {
        if !interpreter.isSuspended(job) { scene.display.jobs.end(job) }
        if lateStatus == .done { lateStatus = status }
        if interpreter.canAsk {
            scene.announce("Job \(job.number) \(status == .done ? "is done" : "has failed"): \(job.text)")
        }
    }

    /// Waits, at the end of a script, for background jobs.
    package func settleBackground() async {
        while let job = scene.display.jobs.inBackground.first(where: { $0.awaited == nil }) {
            do {
                try await scene.display.jobs.wait(for: job)
            } catch {
                for job in scene.display.jobs.inBackground { job.cancel() }
                return
            }
        }
    }

    /// Prints a reply: standard output of the command, a long result in the pager, or everything at once.
    func show(_ reply: Reply, in context: CommandContext) async throws {
        if let take = context.take { return take(reply) }
        guard case .done(let output) = reply.outcome else { return try print(reply, in: context) }
        if let files = output.files {
            guard !context.printer.isJSON else {
                var text = ""
                try await files.forEachPiece { text += $0 }
                let message = output.message.map { JSONValue.string($0) } ?? .null
                return try context.printer.print(
                    JSONObject(command: reply.command, result: ["message": message, "output": .string(text)]))
            }
            try await files.forEachPiece { piece in
                try context.printer.print(text: piece)
                await scene.outputDrained()
            }
            if let message = output.message { try context.printer.print(line: message) }
            return
        }
        if try await page(output, in: context) { return }
        try print(reply, in: context)
    }

    /// Shows a result in the front end's pager if it is longer than the screen; returns false if it is not.
    private func page(_ output: Reply.Output, in context: CommandContext) async throws -> Bool {
        guard usesPager, context.job == nil, context.target == nil, !context.printer.isJSON else {
            return false
        }
        let text = context.printer.wholeText(of: output)
        guard text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= viewport.drawable.rows,
            let target = try? await scene.open(.pager)
        else { return false }
        try context.printer.flush()
        scene.display.holdsAnnouncements = true
        defer { scene.display.holdsAnnouncements = false }
        _ = Array(text.utf8).withUnsafeBytes { target.write($0) }
        // Ignore the pager's exit status.
        try? await target.close(keeps: true)
        return true
    }

    /// Prints a reply, above the prompt if a user may be typing.
    func print(_ reply: Reply, in context: CommandContext) throws {
        guard context.job != nil, context.target == nil, interpreter.canAsk else {
            return try context.printer.print(reply)
        }
        switch reply.outcome {
        case .done(let output): scene.showOutput(output)
        case .failed(let error): scene.announce("error: \(error.message)")
        }
    }

    // MARK: - Script files

    /// The most script files that may run one another.
    private static let sourceLimit = 16

    /// Runs the lines of a script file.
    ///
    /// - Throws: ``ShellError`` if a command fails; the reason has been printed.
    func source(_ file: String, _ lines: [InputLine]) async throws {
        guard sourceDepth < Self.sourceLimit else {
            throw ShellError(
                "tooDeep", "Files of commands run one another more than \(Self.sourceLimit) deep.",
                hint: "Does one run itself?")
        }
        sourceDepth += 1
        defer { sourceDepth -= 1 }
        for line in lines {
            let outcome = try await run(commands(in: line), of: try? line.get())
            if outcome.ends {
                sourcedEnd = outcome
                return
            }
            if outcome.status == .cancelled { throw CancellationError() }
            guard outcome.status != .done, !keepsGoing else { continue }
            throw ShellError(
                "scriptFailed", "A command in '\(file.shortened)' failed; those behind it were not run.",
                category: ExitStatus.category(of: outcome.status))
        }
    }

    func takeSourcedEnd() -> Outcome? {
        defer { sourcedEnd = nil }
        return sourcedEnd
    }
}
