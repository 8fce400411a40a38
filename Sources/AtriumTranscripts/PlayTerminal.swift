internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumText
internal import Glibc

/// The output of a play, and where its presenter types.
@MainActor
final class PlayTerminal {
    /// True if output goes to a terminal, and takes its time.
    let isTerminal: Bool
    private let isColored: Bool
    private let output = OutputStream.standardOutput
    private let keyboard = KeyboardEcho()
    private var editor: LineEditor?
    /// The scene that completes what the presenter types.
    private var scene: PlayedScene?

    /// The presenter's choice before a line of the play.
    enum Turn {
        /// Enter alone: the play goes on.
        case next
        /// A line of the presenter's.
        case line(String)
        /// Ctrl-D.
        case end
        /// Ctrl-C.
        case cancelled
    }

    init(allowsColor: Bool) {
        isTerminal = Terminal.isTerminal(HostOutput.standardOutput)
        isColored = allowsColor && Terminal.isColored(HostOutput.standardOutput)
    }

    /// Reads from the presenter from now on.
    ///
    /// - Throws: ``ShellError`` if there is no terminal.
    func listen() throws(ShellError) {
        editor = try LineEditor(historyFile: nil) { [weak self] line, cursor in
            self?.scene?.completions(of: line, at: cursor) ?? CompletionList(start: cursor, candidates: [])
        }
    }

    func close() {
        keyboard.turnOn()
        editor?.close()
        editor = nil
    }

    /// Writes output, with a line end.
    func print(_ line: String) throws(ShellError) { try write(line + "\n") }

    func write(_ text: String) throws(ShellError) {
        try output.write(isColored ? text : Self.plain(text))
        try output.flush()
    }

    private static func plain(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { StyledLine(String($0)).plain }
            .joined(separator: "\n")
    }

    /// Waits at a terminal, where keys are not echoed meanwhile.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(_ time: Duration) async throws {
        guard isTerminal else { return try Task.checkCancellation() }
        try await Task.sleep(for: time)
    }

    /// Suppresses the echo of keys while the play types, and drops those that were typed.
    func beginsTyping() {
        guard isTerminal, Terminal.isTerminal(STDIN_FILENO) else { return }
        keyboard.turnOff()
        // The audience watches the cursor.
        if Terminal.understandsSequences { Terminal.write("\u{1B}[?25h") }
    }

    func endsTyping() { keyboard.turnOn() }

    /// Waits for the presenter; after ``Turn/next``, the cursor is where the prompt was.
    func turn(prompt: String, in scene: PlayedScene?) async -> Turn {
        guard let editor else { return .next }
        endsTyping()
        self.scene = scene
        while true {
            editor.discardTypeAhead()
            switch await editor.readCommand(prompt: prompt) {
            case .line(""):
                // Up and clear, so that the play types at this prompt.
                if Terminal.understandsSequences { Terminal.write("\u{1B}[A\r\u{1B}[J") }
                return .next
            case .line(let line):
                editor.addHistory(line)
                return .line(line)
            case .interrupted: return .cancelled
            case .endOfInput: return Task.isCancelled ? .cancelled : .end
            case .tooLong: Report.warning(ShellError.tooLong("The line"))
            }
        }
    }

    func secret(_ name: String) async throws -> String {
        guard let editor else { throw CancellationError() }
        endsTyping()
        return try await editor.readSecret(prompt: "\(name): ")
    }
}
