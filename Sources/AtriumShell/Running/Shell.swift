@_spi(Host) package import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime
internal import AtriumStorage
internal import Glibc
internal import Synchronization

/// The line-oriented front end: runs scripts and talks to people.
@MainActor
package final class Shell {
    private let host: ShellHost
    private let interpreter: Interpreter
    private let printer: ReplyPrinter
    private let source: ScriptSource
    private let keepsGoing: Bool
    private let historyFile: String
    private let viewport: ViewportFeed
    /// The package that is built whenever its sources change.
    private var development: Development?

    package init(host: ShellHost, options: Options, source: ScriptSource, historyFile: String) {
        self.host = host
        self.source = source
        self.historyFile = historyFile
        keepsGoing = options.keepsGoing
        interpreter = Interpreter(host: host)
        interpreter.canAsk = source.isPerson
        interpreter.answersYes = options.answersYes
        let viewport = ViewportFeed(host.runtime.container.viewport, option: options.size)
        self.viewport = viewport
        let allowsColor = options.allowsColor && !options.isJSON
        printer = ReplyPrinter(
            isJSON: options.isJSON, width: { viewport.columns },
            isTerminal: Terminal.isTerminal(HostOutput.standardOutput), errorWidth: Terminal.errorWidth,
            style: TextStyle(isColored: allowsColor && Terminal.isColored(HostOutput.standardOutput)),
            errorStyle: TextStyle(isColored: allowsColor && Terminal.isColored(HostOutput.standardError)),
            separatesReplies: !source.isPerson)
        host.coordinator.reportError = { [printer] in
            try? printer.print(ShellError.explain($0), as: "warning")
        }
        host.display.prepare(for: options.isJSON ? .objects : nil, style: printer.style, viewport: viewport)
        host.announce = { [printer, display = host.display] line in
            display.above { try? printer.print(line: line) }
        }
        host.showOutput = { [printer] output in
            try? printer.print(Reply(command: "dev", outcome: .done(output)))
            try? OutputStream.standardOutput.flush()
        }
        host.changes.announce = { [weak host] in
            host?.announce($0)
            host?.announceNews()
        }
    }

    /// Builds a package, opens the first screen of its modules, and follows its sources from now on.
    ///
    /// - Throws: `ModuleError` if the folder is no package, there is no toolchain, or no watch is left.
    package func develop(_ folder: String) async throws {
        // What a build does, or Ctrl-C meanwhile, is no failed start.
        StartJournal.ready()
        let development = try Development(folder, host.changes) { [weak host] in host?.announce($0) }
        development.didRebuild = { [weak self] links in await self?.showRebuilt(links) }
        development.didLoad = { [weak self] links in await self?.showFirst(of: links) }
        self.development = development
        try await development.start()
    }

    /// Opens and prints the first of these screens, unless one of them is the current one.
    private func showFirst(of links: [String]) async {
        guard let first = links.first, let link = try? Link(first), !isShowing(links) else { return }
        do {
            _ = try await host.coordinator.open(link)
            await showRebuilt([first])
        } catch {
            warn([ShellError.explain(error)])
        }
    }

    private func isShowing(_ links: [String]) -> Bool {
        guard let current = host.coordinator.currentEntry?.link else { return false }
        return links.contains { current == $0 || current.hasPrefix("\($0)/") || current.hasPrefix("\($0)?") }
    }

    /// Prints the current screen if it is one of these.
    private func showRebuilt(_ links: [String]) async {
        guard let link = host.coordinator.currentEntry?.link, links.contains(link), host.display.isFree,
            let output = try? await interpreter.show(host.coordinator)
        else { return }
        host.showOutput(output)
    }

    package func warn(_ errors: [any ExplainedError]) {
        for error in errors { try? printer.print(error, as: "warning") }
    }

    package func run() async -> ExitStatus {
        if !source.isPerson { StartJournal.ready() }
        // Who asked the questions of an earlier process is gone with it.
        host.coordinator.leaveQuestions()
        switch source {
        case .text(let bytes):
            var splitter = LineSplitter()
            let lines = splitter.add(bytes) + splitter.finish()
            return await runInterruptibly { status in _ = try await self.run(lines, &status) }
        case .standardInput: return await run(InputReader())
        case .person: return await runInteractively()
        }
    }

    private func run(_ input: InputReader) async -> ExitStatus {
        await runInterruptibly { status in
            for await piece in input.pieces {
                guard try await self.run(piece, &status) else { break }
                input.didRun()
            }
        }
    }

    private typealias Script = @MainActor (inout ExitStatus) async throws -> Void

    private func runInterruptibly(_ script: @escaping Script) async -> ExitStatus {
        viewport.followResizes()
        let interruption = Interruption()
        let interrupts = InterruptSource { interruption.handle() }
        defer { interrupts.stop() }
        return await withCheckedContinuation { continuation in
            // In this turn, up to its first suspension: to continue after one costs a process its first threads.
            interruption.begin(
                Task.immediate { continuation.resume(returning: await self.status(of: script)) })
        }
    }

    /// Cancels a script with the first Ctrl-C and ends the process with the second, in case output is blocked; with
    /// a record if a module was found to keep the host busy.
    private final class Interruption: Sendable {
        private let state = Mutex((task: Task<Void, Never>?.none, isInterrupted: false))

        /// Takes the script, which a Ctrl-C cancels; one may have come already.
        func begin(_ task: Task<Void, Never>) {
            let isInterrupted = state.withLock { state in
                state.task = task
                return state.isInterrupted
            }
            if isInterrupted { task.cancel() }
        }

        func handle() {
            let (task, isSecond) = state.withLock { state in
                defer { state.isInterrupted = true }
                return state
            }
            if isSecond {
                if Watchdog.hasNamed { CrashHandler.reportHang(status: ExitStatus.cancelled.rawValue) }
                _exit(ExitStatus.cancelled.rawValue)
            }
            task?.cancel()
        }
    }

    private func status(of script: Script) async -> ExitStatus {
        var status = ExitStatus.done
        do {
            try await script(&status)
            interpreter.dropDeferred()
            let left = try printNotPerformed()
            if status == .done { status = left }
            try settle()
            return Task.isCancelled ? .cancelled : status
        } catch {
            keepState()
            return failure(error)
        }
    }

    /// Prints the commands of a script that a guard deferred and that were left since.
    private func printNotPerformed() throws -> ExitStatus {
        var status = ExitStatus.done
        for reply in interpreter.takeNotPerformed() {
            try printer.print(reply)
            if status == .done, case .failed(let error) = reply.outcome { status = ExitStatus(error) }
        }
        return status
    }

    private func failure(_ error: any Error) -> ExitStatus {
        let explained = ShellError.explain(error)
        try? printer.print(failure: explained)
        return ExitStatus(explained)
    }

    /// Runs lines, and returns whether the script continues.
    private func run(_ lines: [InputLine], _ status: inout ExitStatus) async throws -> Bool {
        for line in lines {
            let outcome = try await run(commands(in: line), of: try? line.get())
            if status == .done || outcome.status == .cancelled { status = outcome.status }
            let stops = outcome.status != .done && (!keepsGoing || outcome.status == .cancelled)
            if outcome.ends || stops { return false }
        }
        try settle()
        return true
    }

    private func settle() throws {
        keepState()
        try OutputStream.standardOutput.flush()
    }

    private struct LineOutcome: Sendable {
        var status = ExitStatus.done
        var ends = false
    }

    private typealias Commands = Result<[Command], ShellError>

    private func commands(in line: InputLine) -> Commands {
        line.flatMap { text in Result { () throws(ShellError) in try Lexer.commands(in: text) } }
    }

    /// Runs the commands of a line, up to the first that fails or is cancelled.
    private func run(_ commands: Commands, of line: String?) async throws -> LineOutcome {
        if case .failure(let error) = commands {
            let command = line.map(interpreter.text(ofUnreadable:)) ?? "…"
            try printer.print(Reply(command: command, outcome: .failed(error)))
            return LineOutcome(status: ExitStatus(error))
        }
        var outcome = LineOutcome()
        for command in try commands.get() {
            host.display.beginProgress { Redaction.firstWord(of: Redaction.plain(command)) }
            let reply = await interpreter.run(command)
            host.display.endProgress()
            keepState(isUrgent: false)
            try printer.print(reply)
            host.announceNews()
            await host.watches.settle(version: host.runtime.container.version)
            warn(host.runtime.takeWarnings())
            for leak in host.coordinator.takeNewLeaks() {
                try? printer.print(line: "warning: \(leak.name) outlived its screen '\(leak.link)'.")
            }
            if case .failed(let error) = reply.outcome {
                if outcome.status == .done { outcome.status = ExitStatus(error) }
                if !keepsGoing || ExitStatus(error) == .cancelled {
                    outcome.status = ExitStatus(error)
                    return outcome
                }
            }
            let left = try printNotPerformed()
            if outcome.status == .done { outcome.status = left }
            if left != .done, !keepsGoing { return outcome }
            if reply.endsSession {
                outcome.ends = true
                return outcome
            }
        }
        return outcome
    }

    /// Saves the stack and the session; the stack may wait unless urgent, since its cost grows with its depth.
    private func keepState(isUrgent: Bool = true) {
        do {
            try host.keep(isUrgent)
        } catch {
            try? printer.print(ShellError.explain(error), as: "warning")
        }
    }

    private func runInteractively() async -> ExitStatus {
        let completer = Completer(interpreter: interpreter)
        let editor: LineEditor
        do {
            editor = try LineEditor(historyFile: historyFile, report: { warn([$0]) }) { line, cursor in
                completer.completions(of: line, at: cursor)
            }
        } catch {
            warn([ShellError.explain(error)])
            return await run(InputReader())
        }
        defer { editor.close() }
        printer.room = { [weak self] in self.flatMap { $0.viewport.room(above: $0.prompt) } }
        editor.didResize = { [viewport] in viewport.sizeMayHaveChanged() }
        editor.didContinue = { [display = host.display] in display.processDidContinue() }
        editor.rowsDidChange = { [viewport] in viewport.promptTakes($0) }
        host.display.isAsking = { [weak editor] in editor?.isIdle == false }
        host.announce = { [weak editor, viewport, display = host.display] line in
            try? OutputStream.standardOutput.flush()
            let lines = TextWrapper(width: viewport.columns, indent: 2).lines(of: line.printableLine)
            display.above { editor?.printAbove(lines.joined(separator: "\n")) }
        }
        host.showOutput = { [weak editor, printer, display = host.display] output in
            try? OutputStream.standardOutput.flush()
            let text = printer.text(of: output)
            display.above { editor?.printAbove(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        }
        interpreter.askSecret = { [display = host.display] argument in
            display.restartProgress()
            defer { display.restartProgress() }
            try OutputStream.standardOutput.flush()
            return try await editor.readSecret(prompt: "\(argument.name): ")
        }
        let foreground = ForegroundCommand()
        let interrupts = InterruptSource { foreground.interrupt() }
        defer { interrupts.stop() }
        do {
            // A screen that can't be shown is reported when it is used.
            try? await host.coordinator.loadCurrentModule()
            try greet()
            host.announceNews()
            Supervisor.ready()
            StartJournal.ready()
            while true {
                foreground.expectLine()
                switch await editor.readLine(prompt: prompt) {
                case .endOfInput: return .done
                case .tooLong: try printer.print(ShellError.tooLong("The line"))
                case .interrupted:
                    // Ctrl-C leaves a question.
                    guard host.coordinator.currentEntry?.isOfHost == true else { continue }
                    _ = try await perform("back", commands(in: .success("back")), foreground, editor)
                case .line(let line):
                    let commands = commands(in: .success(line))
                    remember(line, commands, in: editor)
                    if try await perform(line, commands, foreground, editor).ends { return .done }
                }
            }
        } catch {
            return failure(error)
        }
    }

    /// Runs a line that a person typed, which Ctrl-C cancels.
    private func perform(
        _ line: String, _ commands: Commands, _ foreground: ForegroundCommand, _ editor: LineEditor
    ) async throws -> LineOutcome {
        let result = Promise<LineOutcome>()
        let task = Task {
            do {
                result.settle(.success(try await self.run(commands, of: line)))
            } catch {
                result.settle(.failure(error))
            }
        }
        foreground.start {
            task.cancel()
        } abandon: {
            result.settle(.success(LineOutcome(status: .cancelled)))
        }
        defer { foreground.end() }
        let outcome = try await result.value()
        host.display.endProgress()
        keepState()
        try OutputStream.standardOutput.write("\n")
        try OutputStream.standardOutput.flush()
        if outcome.status == .cancelled { editor.discardTypeAhead() }
        return outcome
    }

    private var prompt: String { "\(host.environment.rawValue) \(host.person) \(host.currentLink)> " }

    private func greet() throws {
        let active = host.runtime.modules.filter(\.state.isActive).count
        let modules = active == 1 ? "1 module" : "\(active) modules"
        let greeting =
            "Atrium \(HostVersion.current), environment \(host.environment.rawValue), \(modules) active. "
            + "'help' lists the commands, Tab completes, Ctrl-D leaves."
        for line in TextWidth.wrapped(greeting, to: viewport.columns) {
            try OutputStream.standardOutput.write(line + "\n")
        }
        try OutputStream.standardOutput.flush()
    }

    private func remember(_ line: String, _ commands: Commands, in editor: LineEditor) {
        guard case .success(let commands) = commands else {
            if !interpreter.mayHoldSecret(line) { editor.addHistory(line) }
            return
        }
        let texts = commands.map { interpreter.declaredText(of: $0, marksSecrets: false) }
        let isPlain = texts == commands.map { Redaction.plain($0) }
        let kept = isPlain ? line : texts.compactMap { $0 }.joined(separator: "; ")
        if !commands.isEmpty, !kept.isEmpty { editor.addHistory(kept) }
    }
}
