@_spi(Host) package import AtriumKit
internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumNavigation
internal import AtriumRuntime
internal import AtriumStorage
package import AtriumText
internal import Dispatch
internal import Glibc

/// The line-oriented front end: runs scripts and interacts with users.
@MainActor
package final class Shell {
    private let scene: Scene
    private let runner: LineRunner
    private let source: ScriptSource
    private let historyFile: String
    /// The package that is rebuilt whenever its sources change.
    private var development: Development?
    private let drainLimit: Duration
    /// SIGTERM and SIGHUP, while the host serves clients.
    private var endSignals: [SignalSource] = []
    /// Ends the wait for a line; `cancel` cancels the running command.
    private var leave: () -> Void = {}
    private var cancel: () -> Void = {}

    package init(scene: Scene, options: Options, source: ScriptSource, historyFile: String) {
        self.scene = scene
        self.source = source
        self.historyFile = historyFile
        drainLimit = options.drainLimit
        let allowsColor = options.allowsColor && !options.isJSON
        let isTerminal = Terminal.isTerminal(HostOutput.standardOutput)
        runner = LineRunner(
            scene,
            FrontEnd(
                isJSON: options.isJSON, keepsGoing: options.keepsGoing, answersYes: options.answersYes,
                isPerson: source.isPerson, isTerminal: isTerminal, errorWidth: Terminal.errorWidth,
                style: TextStyle(isColored: allowsColor && Terminal.isColored(HostOutput.standardOutput)),
                errorStyle: TextStyle(isColored: allowsColor && Terminal.isColored(HostOutput.standardError)),
                drawsPictures: isTerminal && Terminal.understandsSequences, usesPager: options.hasPager),
            viewport: ViewportFeed(scene.viewport, option: options.size))
        if source.leavesInput { scene.readInput = { try await StandardInput.read() } }
    }

    private var host: ShellHost { scene.host }
    private var viewport: ViewportFeed { runner.viewport }
    private var interpreter: Interpreter { runner.interpreter }

    /// Builds a package, opens the first screen of its modules, and watches its sources from now on.
    ///
    /// - Throws: `ModuleError` if the folder is not a package, there is no toolchain, or no watch is left.
    package func develop(_ folder: String) async throws {
        // A failed build, or Ctrl-C during one, is not a failed start.
        StartJournal.ready()
        let development = try Development(folder, host.changes) { [weak scene] in scene?.announce($0) }
        development.didRebuild = { [weak self] links in await self?.showRebuilt(links) }
        development.didLoad = { [weak self] links in await self?.showFirst(of: links) }
        self.development = development
        try await development.start()
    }

    /// Opens and prints the first of these screens, unless one of them is current.
    private func showFirst(of links: [String]) async {
        guard let first = links.first, let link = try? Link(first), !isShowing(links) else { return }
        do {
            _ = try await scene.coordinator.open(link)
            await showRebuilt([first])
        } catch {
            warn([ShellError.explain(error)])
        }
    }

    private func isShowing(_ links: [String]) -> Bool {
        guard let current = scene.coordinator.currentEntry?.link else { return false }
        return links.contains { current == $0 || current.hasPrefix("\($0)/") || current.hasPrefix("\($0)?") }
    }

    /// Prints the current screen if it is one of these.
    private func showRebuilt(_ links: [String]) async {
        guard let link = scene.coordinator.currentEntry?.link, links.contains(link), scene.display.isFree,
            let output = try? await interpreter.show(scene.coordinator)
        else { return }
        scene.showOutput(output)
    }

    package func warn(_ errors: [any ExplainedError]) { runner.warn(errors) }

    /// Lets other processes attach from now on.
    package func serve(_ server: SceneServer) {
        if source.isPerson { server.log = { [weak scene] in scene?.announce($0) } }
        do throws(ShellError) {
            try server.start()
        } catch {
            // Scripts end soon, so don't warn.
            if source.isPerson { warn([error]) }
            return
        }
        endSignals = [SIGTERM, SIGHUP].compactMap { signal in
            SignalSource(signal: signal, queue: .global()) { [weak self, limit = drainLimit + .seconds(5)] in
                EndSignal.take(signal, within: limit) { self?.end(server) }
            }
        }
    }

    /// Starts no further command, and waits for running ones to end.
    private func end(_ server: SceneServer) {
        // A second signal ends the process at once.
        endSignals = []
        runner.isEnding = true
        server.stopRunning()
        leave()
        let end = ContinuousClock.now + drainLimit
        Task { [jobs = scene.display.jobs] in
            while jobs.foreground != nil, .now < end { try? await Task.sleep(for: .milliseconds(5)) }
            cancel()
        }
    }

    package func run() async -> ExitStatus {
        if !source.isPerson { StartJournal.ready() }
        // Drop questions left by a previous process.
        scene.coordinator.leaveQuestions()
        switch source {
        case .text(let bytes):
            let lines = InputLine.lines(of: bytes)
            return await runInterruptibly { status in _ = try await self.runner.run(lines, &status) }
        case .standardInput: return await run(InputReader())
        case .person: return await runInteractively()
        }
    }

    private func run(_ input: InputReader) async -> ExitStatus {
        await runInterruptibly { status in
            for await piece in input.pieces {
                guard try await self.runner.run(piece, &status) else { break }
                input.didRun()
            }
        }
    }

    private typealias Script = @MainActor (inout ExitStatus) async throws -> Void

    private func runInterruptibly(_ script: @escaping Script) async -> ExitStatus {
        viewport.followResizes()
        let interruption = Interruption()
        let interrupts = InterruptSource { interruption.handle() }
        cancel = { interruption.cancel() }
        defer { interrupts.stop() }
        return await withCheckedContinuation { continuation in
            // In this turn up to the first suspension: resuming after one starts the process's first threads.
            interruption.begin(
                Task.immediate { continuation.resume(returning: await self.runner.status(of: script)) })
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
        connect(editor)
        let foreground = ForegroundCommand()
        scene.open = { destination in
            let target = try await LocalTarget.open(destination)
            guard destination == .pager else { return target }
            foreground.isPaused = true
            return PausingTarget(target) { foreground.isPaused = false }
        }
        let interrupts = InterruptSource { foreground.interrupt() }
        cancel = { foreground.interrupt() }
        defer { interrupts.stop() }
        do {
            // A screen that can't be shown is reported when it is used.
            try? await scene.coordinator.loadCurrentModule()
            try greet()
            scene.announceNews()
            Supervisor.ready()
            StartJournal.ready()
            if let startup = LineRunner.startupCommand(beside: historyFile) {
                let line = Result<[Command], ShellError>.success([startup])
                if try await perform("source", line, foreground, editor).ends {
                    return scene.exitStatus ?? .done
                }
            }
            return try await runLines(foreground, editor)
        } catch {
            return runner.failure(error)
        }
    }

    /// Connects the scene with the terminal that the editor uses.
    private func connect(_ editor: LineEditor) {
        runner.printer.room = { [weak self] in self.flatMap { $0.viewport.room(above: $0.runner.prompt) } }
        leave = { [weak editor] in editor?.leave() }
        editor.didResize = { [viewport] in viewport.sizeMayHaveChanged() }
        editor.didContinue = { [display = scene.display] in display.processDidContinue() }
        editor.rowsDidChange = { [viewport] in viewport.promptTakes($0) }
        scene.display.isAsking = { [weak editor] in editor?.isIdle == false }
        scene.announce = {
            [weak editor, runner, viewport, output = runner.output, display = scene.display] line in
            try? output.flush()
            let lines = TextWrapper(width: viewport.columns, indent: 2).lines(of: line.printableLine)
            display.above {
                editor?.change(prompt: runner.prompt)
                editor?.printAbove(lines.joined(separator: "\n"))
            }
        }
        scene.showOutput = { [weak editor, printer = runner.printer, display = scene.display] output in
            try? printer.flush()
            let text = printer.text(of: output)
            display.above { editor?.printAbove(text.hasSuffix("\n") ? String(text.dropLast()) : text) }
        }
        interpreter.askSecret = { [display = scene.display] name in
            display.restartProgress()
            defer { display.restartProgress() }
            try display.flush()
            return try await editor.readSecret(prompt: "\(name): ")
        }
    }

    /// Reads and runs lines until the end of the session.
    private func runLines(_ foreground: ForegroundCommand, _ editor: LineEditor) async throws -> ExitStatus {
        while true {
            foreground.expectLine()
            switch await editor.readCommand(prompt: runner.prompt) {
            case .endOfInput: return .done
            case .tooLong: try runner.printer.print(ShellError.tooLong("The line"))
            case .interrupted:
                // Ctrl-C leaves a question.
                guard scene.coordinator.currentEntry?.isOfHost == true else { continue }
                _ = try await perform("back", runner.commands(in: .success("back")), foreground, editor)
            case .line(let line):
                let commands = runner.commands(in: .success(line))
                if let kept = runner.history(of: line, commands) { editor.addHistory(kept) }
                let outcome = try await perform(line, commands, foreground, editor)
                if outcome.ends { return scene.exitStatus ?? .done }
            }
        }
    }

    /// Runs a typed line, which Ctrl-C cancels.
    private func perform(
        _ line: String, _ commands: LineRunner.Commands, _ foreground: ForegroundCommand, _ editor: LineEditor
    ) async throws -> LineRunner.Outcome {
        let result = Promise<LineRunner.Outcome>()
        let task = Task {
            do {
                result.settle(.success(try await self.runner.run(commands, of: line)))
            } catch {
                result.settle(.failure(error))
            }
        }
        foreground.start {
            task.cancel()
        } abandon: {
            result.settle(.success(LineRunner.Outcome(status: .cancelled)))
        }
        defer { foreground.end() }
        let outcome = try await result.value()
        scene.display.endProgress()
        runner.keepState()
        try runner.output.write("\n")
        try runner.output.flush()
        if outcome.status == .cancelled { editor.discardTypeAhead() }
        return outcome
    }

    private func greet() throws {
        for line in TextWidth.wrapped(runner.greeting, to: viewport.columns) {
            try runner.output.write(line + "\n")
        }
        try runner.output.flush()
    }
}
