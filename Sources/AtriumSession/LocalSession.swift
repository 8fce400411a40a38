package import AtriumCommands
internal import AtriumKit
package import AtriumLanguage
internal import AtriumNavigation
package import AtriumText
internal import Glibc
internal import Synchronization

/// A session in the host's process: runs lines in a scene, and shows the results in its front end.
@MainActor
package final class LocalSession: SceneSession {
    package let scene: Scene
    package let runner: LineRunner
    package weak var frontEnd: (any FrontEnd)?
    private let completer: Completer
    private let isPerson: Bool
    private let keepsScene: Bool
    /// A user's running line, reachable from the queue on which Ctrl-C arrives.
    private let running = Mutex<Running?>(nil)
    private var isAskingSecret = false

    private struct Running {
        let task: Task<Void, Never>
        let outcome: Promise<LineRunner.Outcome>
    }

    /// Saves the state after each line if `keepsScene`; `permission` is a program's, nil otherwise.
    package init(
        _ scene: Scene, _ description: FrontEndDescription, writingTo streams: LineRunner.Streams,
        viewport: ViewportFeed, keepsScene: Bool = false, permission: Permission? = nil
    ) {
        self.scene = scene
        self.keepsScene = keepsScene
        isPerson = description.isPerson
        runner = LineRunner(scene, description, streams, viewport: viewport)
        completer = Completer(interpreter: runner.interpreter)
        connect(description)
        guard let permission else { return }
        runner.interpreter.permission = permission
        runner.interpreter.confirm = { [weak self] question, summary in
            guard let frontEnd = self?.frontEnd else { return false }
            return try await frontEnd.confirm(question, doing: summary)
        }
    }

    package var greeting: String { runner.greeting }
    package var prompt: String { runner.prompt }
    package var end: ShellError? { nil }

    // MARK: - The front end

    private func connect(_ description: FrontEndDescription) {
        let (display, output) = (scene.display, runner.output)
        display.write = { try output.write($0) }
        display.flush = { try output.flush() }
        display.arrived = { [weak self] in try await self?.frontEnd?.written() }
        display.drawPictures { [weak self] in self?.send(.screen($0)) }
        display.keyboard = EchoedKeyboard { [weak self] in self?.send(.echo($0)) }
        display.isAsking = { [weak self] in self?.isAskingSecret == true }
        scene.outputDrained = { [weak self] in
            try? output.flush()
            await self?.frontEnd?.drained()
        }
        scene.environment = { [weak self] in try await self?.frontEnd?.environment($0) }
        scene.open = { [weak self] destination in
            guard let frontEnd = self?.frontEnd else { throw CancellationError() }
            return try await frontEnd.open(destination)
        }
        if description.givesInput { scene.readInput = { [weak self] in try await self?.frontEnd?.input() } }
        guard isPerson else { return }
        runner.printer.room = { [weak runner] in runner.flatMap { $0.viewport.room(above: $0.prompt) } }
        scene.announce = { [weak self, viewport = runner.viewport] line in
            let lines = TextWrapper(width: viewport.columns, indent: 2).lines(of: line.printableLine)
            self?.printAbove(lines.joined(separator: "\n"))
        }
        scene.showOutput = { [weak self, printer = runner.printer] in self?.printAbove(printer.text(of: $0)) }
        runner.interpreter.askSecret = { [weak self, display] name in
            guard let self, let frontEnd else { throw CancellationError() }
            display.restartProgress()
            isAskingSecret = true
            defer {
                isAskingSecret = false
                display.restartProgress()
            }
            try display.flush()
            return try await frontEnd.secret(name)
        }
    }

    private func send(_ event: SessionEvent) { frontEnd?.receive(event) }

    private func printAbove(_ text: String) {
        try? runner.output.flush()
        let text = text.hasSuffix("\n") ? String(text.dropLast()) : text
        guard !text.isEmpty else { return }
        scene.display.above { [weak self] in
            guard let self else { return }
            send(.above(text + "\n", prompt: prompt))
        }
    }

    // MARK: - Lines

    package func begin(_ greet: (String) throws -> Void) async throws {
        // A screen that can't be shown is reported when it is used.
        try? await scene.coordinator.loadCurrentModule()
        try greet(greeting)
        scene.announceNews()
    }

    package func run(_ line: InputLine, keepsHistory: Bool = true) async throws -> LineResult {
        let commands = runner.commands(in: line)
        let text = try? line.get()
        if isPerson, keepsHistory, let text { send(.history(runner.history(of: text, commands))) }
        do {
            let outcome =
                isPerson
                ? try await runAbandonably(commands, text) : try await runner.run(commands, of: text)
            await frontEnd?.drained()
            scene.display.endProgress()
            return LineResult(
                status: outcome.status, ends: outcome.ends, exits: runner.endsWithStatus(outcome),
                isDeferred: outcome.isDeferred)
        } catch {
            runner.keepState()
            throw error
        }
    }

    /// Runs a program's call without printing the reply; cancelled with the calling task.
    package func call(_ call: Call) async throws -> Reply { try await runner.reply(to: call) }

    private func runAbandonably(
        _ commands: LineRunner.Commands, _ text: String?
    ) async throws -> LineRunner.Outcome {
        let outcome = Promise<LineRunner.Outcome>()
        let task = Task { [runner] in
            do {
                outcome.settle(.success(try await runner.run(commands, of: text)))
            } catch {
                outcome.settle(.failure(error))
            }
        }
        running.withLock { $0 = Running(task: task, outcome: outcome) }
        send(.began)
        defer { running.withLock { $0 = nil } }
        return try await withTaskCancellationHandler {
            try await outcome.value()
        } onCancel: {
            task.cancel()
        }
    }

    package var hasQuestion: Bool { scene.coordinator.currentEntry?.isOfHost == true }

    package func leaveQuestion() async throws -> LineResult? {
        guard hasQuestion else { return nil }
        return try await run(.success("back"), keepsHistory: false)
    }

    package nonisolated func cancel() { running.withLock { $0?.task }?.cancel() }

    package nonisolated func abandon() {
        running.withLock { $0?.outcome }?.settle(.success(LineRunner.Outcome(status: .cancelled)))
    }

    package func cancel(because error: ShellError) { cancel() }

    package func settle() throws {
        runner.keepState(isUrgent: isPerson || keepsScene)
        try runner.output.flush()
    }

    package func completions(of line: String, at cursor: Int) async -> CompletionList {
        await completer.completionsWithCode(of: line, at: cursor)
    }

    package func resize(to size: TerminalSize, promptRows: Int, redraws: Bool) {
        runner.viewport.sizeMayHaveChanged()
        runner.viewport.promptTakes(promptRows)
        if redraws { scene.display.processDidContinue() }
    }

    package func close() async throws -> ExitStatus {
        guard !isPerson else { return .done }
        await runner.settleBackground()
        return try runner.end()
    }

    /// Runs no further command.
    package func stop() { runner.isEnding = true }
}

/// The keyboard of a front end, which turns its echo off and on.
@MainActor
private final class EchoedKeyboard: Keyboard {
    private let setEcho: (Bool) -> Void

    init(_ setEcho: @escaping (Bool) -> Void) { self.setEcho = setEcho }

    func turnOff() { setEcho(false) }
    func turnOffAgain() { setEcho(false) }
    func turnOn() { setEcho(true) }
}
