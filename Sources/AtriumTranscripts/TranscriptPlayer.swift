internal import AtriumKit
internal import AtriumLibraries
internal import AtriumPrompt
internal import AtriumSession
internal import AtriumText
internal import Glibc

/// Plays transcripts, each in a separate scratch folder, with a host that starts with its first scene.
@MainActor
final class TranscriptPlayer {
    /// Options for starting hosts, and the time limit of a line.
    struct Settings {
        /// The file that names the modules.
        var configuration: String
        var environment: Environment?
        /// More options for the hosts.
        var arguments: [String] = []
        var limit = Options.standardLineLimit
        var definitions: [PathDefinition] = []
        /// True if the transcripts are rewritten, so that news not yet in them is waited for.
        var isUpdating = false
        /// The size of the scenes; nil for 80 columns.
        var size: TerminalSize?
        /// True if the output of scenes has colours.
        var isColored = false

        var hostArguments: [String] {
            ["--config", configuration] + (environment.map { ["--env", $0.rawValue] } ?? [])
                + (size.map { ["--size", "\($0.columns)x\($0.rows)"] } ?? []) + arguments
        }
    }

    private let settings: Settings
    private let folder: TranscriptFolder
    private var host: TranscriptHost?
    /// The programs started by bash lines.
    private var programs: [BatchProcess] = []
    let start = SystemClock().now()
    /// Asks for a secret that the transcript does not have; nil if that is an error of the transcript.
    var ask: (@MainActor (String) async throws -> String)?

    /// Creates a player; ``end()`` must follow.
    init(_ settings: Settings) throws {
        self.settings = settings
        folder = try TranscriptFolder(settings.definitions)
    }

    /// Plays a transcript, and ends all programs that it started.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or an error if there is no scratch folder.
    static func play(_ transcript: Transcript, _ settings: Settings) async throws -> PlayedTranscript {
        let player = try TranscriptPlayer(settings)
        do {
            let played = try await player.play(transcript)
            await player.end()
            return played
        } catch {
            await player.end()
            throw error
        }
    }

    func end() async {
        await host?.end()
        for program in programs { await program.end() }
        folder.remove()
    }

    private func play(_ transcript: Transcript) async throws -> PlayedTranscript {
        let began = ContinuousClock.now
        var steps: [PlayedTranscript.Step] = []
        if let unprepared = try await prepare(transcript), var step = transcript.steps.first {
            step.number = unprepared.line
            let failed = PlayedTranscript.Step(
                step: step, output: step.expected, problem: unprepared.problem, isLast: true)
            return PlayedTranscript(
                transcript: transcript, steps: [failed], duration: began.duration(to: .now))
        }
        for step in transcript.steps {
            let played = try await perform(step)
            steps.append(played)
            if played.isLast { break }
        }
        return PlayedTranscript(transcript: transcript, steps: steps, duration: began.duration(to: .now))
    }

    /// Runs a step.
    ///
    /// - Throws: `CancellationError` only.
    func perform(_ step: Transcript.Step) async throws -> PlayedTranscript.Step {
        let expected = ExpectedOutput(step.expected, isMarkdown: step.isMarkdown)
        var printed = PrintedOutput()
        var problem: String?
        var isLast = false
        do {
            switch step.target {
            case .shell: (printed, problem) = try await run(step)
            case .scene(let name):
                (printed, problem) = try await type(step, in: name, expecting: expected)
            }
        } catch let error as TimeLimit {
            (printed, problem, isLast) = (error.printed, error.message, true)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            (problem, isLast) = (ShellError.explain(error).message, true)
        }
        if step.isSetup {
            if printed.status != 0 {
                problem = problem ?? "The setup fails: \(printed.lines.joined(separator: " "))"
            }
            return PlayedTranscript.Step(step: step, output: [], problem: problem, isLast: isLast)
        }
        return PlayedTranscript.Step(
            step: step, output: expected.updated(by: printed, since: start, now: SystemClock().now()),
            shown: printed.shown, problem: problem, isLast: isLast)
    }

    /// The scene in which a step types, opened on first use; nil for bash.
    func scene(of step: Transcript.Step) async throws -> PlayedScene? {
        guard case .scene(let name) = step.target else { return nil }
        return try await scene(name)
    }

    private func scene(_ name: String) async throws -> PlayedScene {
        let host = try await runningHost()
        return try await within(settings.limit) { [settings] in
            try await host.scene(name, settings.size, isColored: settings.isColored)
        }
    }

    // MARK: - Lines of bash

    private static let shell = access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh"

    private func run(_ step: Transcript.Step) async throws -> (PrintedOutput, String?) {
        let options = settings.hostArguments.map { ShellWord.quoted($0) }.joined(separator: " ")
        // On one line, so that bash numbers the lines of the step from 2.
        let script = "atrium() { \"$ATRIUM\" --data \"$DATA\" \(options) \"$@\"; }\n\(step.input)"
        let process = try BatchProcess([Self.shell, "-c", script])
        programs.append(process)
        let isDone = try await process.finish(within: settings.limit)
        let output = folder.naming(String(decoding: process.output, as: UTF8.self))
        var printed = PrintedOutput(output, status: process.status ?? 0)
        guard isDone else {
            let hasEnded = process.status != nil
            await process.end()
            throw TimeLimit(
                message: hasEnded
                    ? "The line has ended, and a program that it left keeps its output open: redirect that one's "
                        + "output."
                    : "The line has not ended within \(settings.limit.words); --timeout SECONDS gives it more.",
                printed: printed)
        }
        guard process.output.count >= BatchProcess.limit else { return (printed, nil) }
        printed = PrintedOutput()
        return (printed, "The line has printed more than \(BatchProcess.limit >> 20) MB.")
    }

    // MARK: - Lines of scenes

    private func type(
        _ step: Transcript.Step, in name: String, expecting expected: ExpectedOutput
    ) async throws -> (PrintedOutput, String?) {
        let scene = try await scene(name)
        scene.ask = ask
        let outcome: PlayedScene.Outcome
        do {
            outcome = try await within(settings.limit) {
                try await scene.type(step.input, secrets: step.secrets)
            }
        } catch var error as TimeLimit {
            error.printed = output(scene.take())
            throw error
        } catch let error as ShellError where error.isEndOfHost {
            await host?.end()
            host = nil
            let text = scene.take() + "error: \(error.message)\n"
            return (output(text), nil)
        }
        try await settle(scene, outcome.status, expected, isNews: step.input.isEmpty)
        return (output(scene.take(), outcome.status), outcome.problem)
    }

    private func output(_ text: String, _ status: Int32 = 0) -> PrintedOutput {
        PrintedOutput(folder.naming(text), status: status, isColored: settings.isColored)
    }

    private func runningHost() async throws -> TranscriptHost {
        if let host, host.isRunning { return host }
        await host?.end()
        let started = try await TranscriptHost(
            on: folder.data, settings.hostArguments, limit: settings.limit)
        host = started
        return started
    }

    /// The time limit for output that appears on its own, and the pause after which no more is expected.
    private static let patience = Duration.seconds(10)
    private static let quiet = Duration.milliseconds(200)

    /// Waits for output that appears on its own above the prompt, while the expected output is incomplete.
    private func settle(
        _ scene: PlayedScene, _ status: Int32, _ expected: ExpectedOutput, isNews: Bool
    ) async throws {
        let end = ContinuousClock.now + min(Self.patience, settings.limit)
        var (last, since) = (scene.output.utf8.count, ContinuousClock.now)
        while !scene.hasEnded, .now < end {
            let printed = output(scene.output, status)
            let now = SystemClock().now()
            // If nothing is expected, only waiting can show that nothing came.
            if expected.fits(printed, now: now), !(isNews && expected.isEmpty) { return }
            let mayCome = expected.begins(with: printed, now: now)
            let waits = settings.isUpdating || isNews && expected.isEmpty || !mayCome
            if last != scene.output.utf8.count { (last, since) = (scene.output.utf8.count, .now) }
            let isFirst = isNews && settings.isUpdating && last == 0
            if waits, since.duration(to: .now) > (isFirst ? .seconds(2) : Self.quiet) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for work, which keeps running if it exceeds the limit: the transcript then ends.
    private func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        let result = Promise<Value>()
        let timer = Task {
            try await Task.sleep(for: limit)
            result.settle(
                .failure(
                    TimeLimit(
                        message:
                            "The line has not ended within \(limit.words); --timeout SECONDS gives it more.")
                ))
        }
        defer { timer.cancel() }
        Task {
            do { result.settle(.success(try await work())) } catch { result.settle(.failure(error)) }
        }
        return try await result.value()
    }
}

/// A line exceeded its time limit.
private struct TimeLimit: Error {
    let message: String
    var printed = PrintedOutput()
}
