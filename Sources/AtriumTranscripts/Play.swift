internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
package import AtriumPrompt
package import AtriumText
internal import Glibc

/// `atrium play`: types a transcript at a human pace, to an audience, a recording, a picture or a page.
@MainActor
package final class Play {
    private let transcript: Transcript
    private let settings: TranscriptPlayer.Settings
    private let options: Options
    private let pace: PlayPace
    private let terminal: PlayTerminal
    private var recording: PlayRecording
    private var played: [PlayedTranscript.Step] = []
    /// The files to write, by absolute paths.
    private let files: [(path: String, text: @MainActor (Play) -> String)]
    private let hasSeveralScenes: Bool

    /// Plays a transcript.
    ///
    /// - Throws: ``ShellError`` with exit code 2 if the file is malformed, or nobody can press Enter.
    package static func run(_ file: String, _ options: Options) async throws -> ExitStatus {
        let play = try Play(file, options)
        return try await RequestRecording.during(options) {
            try await TranscriptSignals.cancelling { try await play.perform() }
        }
    }

    private init(_ file: String, _ options: Options) throws {
        guard options.isAutomatic || Self.hasPresenter else {
            throw ShellError(
                "noTerminal", "A play waits for Enter before each line, and there is no terminal.",
                hint: "atrium play --auto \(Quoting.quote(file))", category: .usage)
        }
        transcript = try TranscriptRun.read(file)
        if let line = options.firstLine, line > (transcript.steps.last?.number ?? 0) {
            throw ShellError(
                "usage",
                "'\(file)' types nothing from line \(line) on: its last typed line is "
                    + "\(transcript.steps.last?.number ?? 0).", hint: "Give --from a smaller number.",
                category: .usage)
        }
        var settings = try TranscriptPlayer.Settings(options).with(transcript, options)
        try ReportFiles.check(options, transcripts: [file], settings.configuration)
        settings.isColored = options.allowsColor
        self.settings = settings
        self.options = options
        pace = PlayPace(speed: options.speed)
        terminal = PlayTerminal(allowsColor: options.allowsColor)
        let name = TranscriptFiles.name(of: file)
        recording = PlayRecording(
            title: name, size: settings.size ?? TerminalSize(columns: 80, rows: 24))
        let outputs: [(String?, @MainActor (Play) -> String)] = [
            (options.castFile, { $0.recording.cast }), (options.svgFile, { PlayPicture($0.recording).svg }),
            (
                options.htmlFile,
                { PlayPage.html(of: $0.recording, $0.played) }
            ),
        ]
        files = outputs.compactMap { path, text in path.map { (TranscriptFiles.absolute($0), text) } }
        let scenes = transcript.steps.compactMap { step in
            if case .scene(let name) = step.target { name } else { nil }
        }
        hasSeveralScenes = Set(scenes).count > 1
    }

    private static var hasPresenter: Bool {
        Terminal.isTerminal(STDIN_FILENO) && Terminal.isTerminal(HostOutput.standardOutput)
    }

    // MARK: - The play

    private func perform() async throws -> ExitStatus {
        let player = try TranscriptPlayer(settings)
        let isWhole: Bool
        do {
            defer { terminal.close() }
            if !options.isAutomatic {
                try terminal.listen()
                player.ask = { [terminal] in try await terminal.secret($0) }
            }
            isWhole = try await perform(player)
        } catch {
            await player.end()
            throw error
        }
        await player.end()
        guard isWhole else { return files.isEmpty ? .done : .cancelled }
        for file in files {
            let atomic = try AtomicFile(file.path, replaces: true)
            try atomic.write(Array(file.text(self).utf8))
            try atomic.finish()
        }
        let differing = PlayedTranscript(transcript: transcript, steps: played, duration: .zero)
        guard !differing.hasPassed else { return .done }
        Report.note("\(differing.summary). 'atrium test \(Quoting.quote(transcript.file))' shows how.")
        return .failed
    }

    /// Types the lines; false if the presenter ended the play.
    private func perform(_ player: TranscriptPlayer) async throws -> Bool {
        let first = options.firstLine ?? 0
        if let unprepared = try await player.prepare(transcript) {
            throw ShellError("notPrepared", "\(transcript.file):\(unprepared.line): \(unprepared.problem)")
        }
        for step in transcript.steps {
            let isShown = step.number >= first && !step.isSetup
            if isShown {
                try await introduce(step)
                guard try await type(step, player) else { return false }
            }
            var result = try await player.perform(step)
            let printed = result.shown
            // A recording has no time of the clock in it.
            result.shown = printed.map {
                PrintedMoment.fixing($0, since: player.start, now: SystemClock().now())
            }
            played.append(result)
            if isShown {
                for (line, shown) in zip(result.shown, printed) {
                    recording.print(line)
                    try terminal.print(shown)
                }
            }
            if !result.hasPassed { try report(result) }
            if result.isLast { break }
            if isShown { try await pause(pace.reading(result.shown.count)) }
        }
        terminal.endsTyping()
        return true
    }

    /// Shows the prose above a line, after an empty line.
    private func introduce(_ step: Transcript.Step) async throws {
        if !recording.lines.isEmpty { try print("") }
        let style = TextStyle(isColored: options.allowsColor)
        for line in step.notes { try print(style.faint("# \(line)")) }
        if !step.notes.isEmpty { try await pause(pace.reading(step.notes.count)) }
    }

    /// Types a line; false if the presenter ended the play.
    private func type(_ step: Transcript.Step, _ player: TranscriptPlayer) async throws -> Bool {
        guard !step.input.isEmpty else { return true }
        // A host that does not start is a problem of the step.
        let scene = try? await player.scene(of: step)
        try Task.checkCancellation()
        let prompt = prompt(of: step, scene)
        guard try await presenterAgrees(to: step, at: prompt, in: scene, player) else { return false }
        terminal.beginsTyping()
        let keys = pace.keys(of: step.input, number: step.number)
        var start = prompt
        for (number, line) in step.input.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            if number > 0 { start = step.target == .shell ? "> " : "… " }
            recording.prompt(colored(start))
            try terminal.write(colored(start))
            if number == 0 { try await pause(pace.beforeLine) }
            if options.allowsColor { try terminal.write(PlayRecording.bold) }
            for (character, time) in zip(line, keys) {
                recording.type(character)
                try terminal.write(String(character))
                try await pause(time)
            }
            try await pause(pace.beforeEnter)
            recording.enter()
            try terminal.print(options.allowsColor ? PlayRecording.plain : "")
        }
        return true
    }

    private func prompt(of step: Transcript.Step, _ scene: PlayedScene?) -> String {
        guard case .scene(let name) = step.target else { return "$ " }
        guard let scene else { return "\(name)> " }
        return (hasSeveralScenes ? "[\(name)] " : "") + scene.prompt
    }

    private func colored(_ prompt: String) -> String {
        options.allowsColor ? "\u{1B}[34m\(prompt)\(PlayRecording.plain)" : prompt
    }

    /// Waits for Enter, and runs what the presenter types instead; false if the play ends here.
    private func presenterAgrees(
        to step: Transcript.Step, at prompt: String, in scene: PlayedScene?, _ player: TranscriptPlayer
    ) async throws -> Bool {
        var prompt = prompt
        while !options.isAutomatic {
            switch await terminal.turn(prompt: prompt, in: scene) {
            case .next: return true
            case .end: return false
            case .cancelled: throw CancellationError()
            case .line(let line):
                let own = Transcript.Step(
                    number: step.number, target: step.target, input: line, typed: [line])
                let result = try await player.perform(own)
                for line in result.shown { try terminal.print(line) }
                if let problem = result.problem { Report.note(problem) }
                if result.isLast { return false }
                if !result.shown.isEmpty { try terminal.print("") }
                prompt = self.prompt(of: step, try? await player.scene(of: step))
            }
        }
        return true
    }

    private func report(_ result: PlayedTranscript.Step) throws {
        let failed = PlayedTranscript(transcript: transcript, steps: [result], duration: .zero)
        for finding in failed.findings { Report.note(finding) }
    }

    private func print(_ line: String) throws {
        recording.print(line)
        try terminal.print(line)
    }

    private func pause(_ time: Duration) async throws {
        recording.wait(time)
        try await terminal.wait(time)
    }
}
