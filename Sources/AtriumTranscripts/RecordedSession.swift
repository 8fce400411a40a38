internal import AtriumLanguage
internal import AtriumRedirection
internal import AtriumSession
internal import AtriumText

/// A session that is recorded: it passes lines, events and questions on, and notes them.
@MainActor
final class RecordedSession: SceneSession, FrontEnd {
    private let base: RemoteSession
    private let recorder: TranscriptRecorder
    weak var frontEnd: (any FrontEnd)?

    init(_ base: RemoteSession, _ recorder: TranscriptRecorder) {
        self.base = base
        self.recorder = recorder
        base.frontEnd = self
    }

    var prompt: String { base.prompt }
    var end: ShellError? { base.end }

    func begin(_ greet: (String) throws -> Void) async throws {
        try base.begin("What you type here is recorded. ", greet)
    }

    func run(_ line: InputLine, keepsHistory: Bool) async throws -> LineResult {
        if let text = try? line.get() { recorder.type(text) }
        let result = try await base.run(line, keepsHistory: keepsHistory)
        recorder.didRun(ends: result.ends)
        return result
    }

    func leaveQuestion() async throws -> LineResult? {
        let result = try await base.leaveQuestion()
        recorder.didRun(ends: false)
        return result
    }

    nonisolated func cancel() { base.cancel() }
    nonisolated func abandon() { base.abandon() }
    func cancel(because error: ShellError) { base.cancel(because: error) }
    func settle() throws {}

    func completions(of line: String, at cursor: Int) -> CompletionList {
        base.completions(of: line, at: cursor)
    }

    // The recorded scene has no terminal.
    func resize(to size: TerminalSize, promptRows: Int, redraws: Bool) {}

    func close() async throws -> ExitStatus { try await base.close() }

    // MARK: - Events

    func receive(_ event: SessionEvent) {
        switch event {
        case .output(let text), .error(let text), .screen(let text), .above(let text, _): recorder.print(text)
        case .began, .history, .echo, .lost, .restored, .end: break
        }
        frontEnd?.receive(event)
    }

    func secret(_ name: String) async throws -> String {
        guard let frontEnd else { throw CancellationError() }
        let secret = try await frontEnd.secret(name)
        recorder.answer(secret)
        return secret
    }

    func input() async throws -> [UInt8]? { try await frontEnd?.input() }

    func open(_ destination: OutputRedirection) async throws -> any ResultTarget {
        try await CapturedProgram.open(destination) { [weak self] text in
            self?.receive(.output(text))
        }
    }
}
