internal import AtriumCrash
package import AtriumLanguage
internal import AtriumLineEditor
package import AtriumRedirection
package import AtriumSession
internal import AtriumText
internal import Dispatch
internal import Glibc

/// The front end on this process's standard streams: runs scripts, and reads lines from a user.
@MainActor
package final class Shell: FrontEnd {
    private let session: any SceneSession
    private let source: ScriptSource
    private let options: Options
    private let historyFile: String
    private var editor: LineEditor?
    private let keyboard = KeyboardEcho()
    private let foreground = ForegroundCommand()
    private let interruption = Interruption()
    /// The error after which standard output can't be written any more.
    private var outputFailure: ShellError?
    /// True if the host has included it among its errors.
    private var hasReportedFailure = false

    package init(_ session: any SceneSession, _ options: Options, _ source: ScriptSource, historyFile: String)
    {
        self.session = session
        self.options = options
        self.source = source
        self.historyFile = historyFile
        session.frontEnd = self
        Report.allowsColor = options.allowsColor
    }

    func run() async -> ExitStatus {
        switch source {
        case .text(let bytes):
            let lines = InputLine.lines(of: bytes)
            return await runScript { status in _ = try await self.run(lines, &status) }
        case .standardInput: return await runStandardInput()
        case .person: return await runInteractively()
        }
    }

    /// Ends the wait for a line.
    func leave() { editor?.leave() }

    /// Cancels the running command, or the script.
    func cancel() {
        foreground.interrupt()
        interruption.cancel()
        session.cancel()
    }

    // MARK: - Scripts

    private typealias Script = @MainActor (inout ExitStatus) async throws -> Void

    private func runStandardInput() async -> ExitStatus {
        let input = InputReader()
        return await runScript { status in
            for await piece in input.pieces {
                guard try await self.run(piece, &status) else { break }
                input.didRun()
            }
        }
    }

    private func runScript(_ script: @escaping Script) async -> ExitStatus {
        let interrupts = InterruptSource { [weak self, foreground] in
            if !foreground.isPaused { self?.interrupt() }
        }
        defer { interrupts.stop() }
        return await withCheckedContinuation { continuation in
            // In this turn up to the first suspension: resuming after one starts the process's first threads.
            interruption.begin(
                Task.immediate { continuation.resume(returning: await self.status(of: script)) })
        }
    }

    private nonisolated func interrupt() {
        interruption.handle()
        session.cancel()
    }

    private func status(of script: Script) async -> ExitStatus {
        var status = ExitStatus.done
        do {
            try await script(&status)
            if let outputFailure { throw outputFailure }
            let left = try await session.close()
            return Task.isCancelled ? .cancelled : status == .done ? left : status
        } catch {
            if outputFailure != nil, hasReportedFailure { return .failed }
            return Report.failure(outputFailure ?? error, isJSON: options.isJSON)
        }
    }

    /// Runs lines, and returns whether the script continues.
    private func run(_ lines: [InputLine], _ status: inout ExitStatus) async throws -> Bool {
        for line in lines {
            let result = try await session.run(line, keepsHistory: true)
            hasReportedFailure = hasReportedFailure || result.hasReportedUnwritten
            if outputFailure != nil { return false }
            if status == .done || result.status == .cancelled || result.exits { status = result.status }
            let isFailure = result.status != .done && (!options.keepsGoing || result.status == .cancelled)
            if result.ends || isFailure { return false }
        }
        try session.settle()
        return true
    }

    // MARK: - The prompt

    private func runInteractively() async -> ExitStatus {
        let editor: LineEditor
        do {
            editor = try LineEditor(historyFile: historyFile, report: { Report.warning($0) }) {
                [session] line, cursor in await session.completions(of: line, at: cursor)
            }
        } catch {
            Report.warning(ShellError.explain(error))
            return await runStandardInput()
        }
        self.editor = editor
        defer { editor.close() }
        followSize(editor)
        let interrupts = InterruptSource { [foreground] in foreground.interrupt() }
        defer { interrupts.stop() }
        do {
            return try await readLines(editor)
        } catch {
            return Report.failure(outputFailure ?? error, isJSON: options.isJSON)
        }
    }

    private var size: TerminalSize { options.size ?? Terminal.size() }

    private func followSize(_ editor: LineEditor) {
        var promptRows = 1
        editor.didResize = { [weak self] in self?.resize(promptRows) }
        editor.didContinue = { [weak self] in
            self?.keyboard.turnOffAgain()
            self?.resize(promptRows, redraws: true)
        }
        editor.rowsDidChange = { [weak self] rows in
            guard rows != promptRows else { return }
            promptRows = rows
            self?.resize(rows)
        }
    }

    private func resize(_ promptRows: Int, redraws: Bool = false) {
        session.resize(to: size, promptRows: promptRows, redraws: redraws)
    }

    private func readLines(_ editor: LineEditor) async throws -> ExitStatus {
        try await session.begin { greeting in
            try write(TextWidth.wrapped(greeting, to: size.columns).map { $0 + "\n" }.joined())
        }
        Supervisor.ready()
        StartJournal.ready()
        if let startup, let status = try await perform({ try await $0.run(startup, keepsHistory: false) }) {
            return status
        }
        while true {
            foreground.expectLine()
            var status: ExitStatus?
            switch await editor.readCommand(prompt: session.prompt) {
            case .endOfInput:
                if let end = session.end { throw end }
                return (try? await session.close()) ?? .done
            case .tooLong: Report.warning(ShellError.tooLong("The line"))
            case .interrupted: status = try await perform { try await $0.leaveQuestion() }
            case .line(let line):
                status = try await perform { try await $0.run(.success(line), keepsHistory: true) }
            }
            if let status { return status }
        }
    }

    /// The line that runs the startup file beside the history; nil if there is none.
    private var startup: InputLine? {
        guard let end = historyFile.lastIndex(of: "/") else { return nil }
        let file = historyFile[...end] + "startup"
        return access(String(file), F_OK) == 0 ? .success("source \(Quoting.quote(String(file)))") : nil
    }

    /// Runs a typed line, which Ctrl-C cancels; returns the exit status if it left the session.
    private func perform(
        _ line: @MainActor (any SceneSession) async throws -> LineResult?
    ) async throws -> ExitStatus? {
        defer { foreground.end() }
        guard let result = try await line(session) else { return nil }
        keyboard.turnOn()
        try session.settle()
        try write("\n")
        if result.status == .cancelled { editor?.discardTypeAhead() }
        guard result.ends else { return nil }
        _ = try? await session.close()
        return result.exits ? result.status : .done
    }

    // MARK: - Events

    package func receive(_ event: SessionEvent) {
        switch event {
        case .began:
            guard editor != nil else { return }
            foreground.start { [session] in
                session.cancel()
            } abandon: { [session] in
                session.abandon()
            }
        case .output(let text):
            do throws(ShellError) {
                try write(text)
            } catch {
                guard outputFailure == nil else { return }
                outputFailure = error
                session.cancel(because: error)
            }
        case .error(let text): writeError(text)
        case .screen(let text): Terminal.write(text)
        case .above(let text, let prompt):
            guard let editor else { return writeError(text) }
            editor.change(prompt: prompt)
            editor.printAbove(text)
        case .history(let line): if let line { editor?.addHistory(line) }
        case .echo(let isOn): isOn ? keyboard.turnOn() : keyboard.turnOff()
        case .lost(let text):
            keyboard.turnOn()
            // A picture may be on this line.
            if editor?.isIdle == true { try? write("\n") }
            say(text)
        case .restored(let text, let crash):
            if let crash, isReading {
                editor?.printAbove(Report.text(ofWarning: crash))
            } else if let crash {
                Report.warning(crash)
            }
            say(text)
        case .end:
            keyboard.turnOn()
            editor?.leave()
        }
    }

    private var isReading: Bool { editor?.isIdle == false }

    /// Prints a line above the prompt, or after the present output while none is shown.
    private func say(_ line: String) {
        guard isReading, let editor else { return Report.note(line) }
        editor.change(prompt: session.prompt)
        let lines = TextWrapper(width: Terminal.size().columns, indent: 2).lines(of: line)
        editor.printAbove(lines.joined(separator: "\n"))
    }

    private func write(_ text: String) throws(ShellError) {
        try OutputStream.standardOutput.write(text)
        try OutputStream.standardOutput.flush()
    }

    private func writeError(_ text: String) {
        try? OutputStream.standardError.write(text)
        try? OutputStream.standardError.flush()
    }

    // MARK: - Questions

    package func secret(_ name: String) async throws -> String {
        guard let editor else { throw CancellationError() }
        return try await editor.readSecret(prompt: "\(name): ")
    }

    package func input() async throws -> [UInt8]? { try await StandardInput.read() }

    package func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        let target = try await LocalTarget.open(destination)
        if case .file = destination { return target }
        guard !RunningJobs.runsInBackground else { return target }
        return TerminalTarget(target) { [foreground] in
            foreground.isPaused = $0
        } wasInterrupted: { [weak self] in
            // A script ends, as one of a shell does.
            if let self, editor == nil { interrupt() }
        }
    }
}

extension FrontEndDescription {
    /// The description of a front end on this process's standard streams.
    init(_ options: Options, _ source: ScriptSource) {
        self.init()
        let output = HostOutput.standardOutput
        isPerson = source.isPerson
        isJSON = options.isJSON
        keepsGoing = options.keepsGoing
        answersYes = options.answersYes
        isTerminal = Terminal.isTerminal(output)
        drawsPictures = isTerminal && Terminal.understandsSequences
        isColored = options.allowsColor && Terminal.isColored(output)
        colorsErrors = options.allowsColor && Terminal.isColored(HostOutput.standardError)
        hasPager = options.hasPager
        givesInput = source.leavesInput
    }
}
