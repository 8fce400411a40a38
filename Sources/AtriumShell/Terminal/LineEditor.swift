internal import Dispatch
internal import Glibc

/// Reads lines from a person at a terminal: editing, history, completion, secrets.
///
/// Works on the main queue without ever waiting for a key, so whatever else the main actor has to do gets
/// done while somebody types. Only while ``readLine(prompt:)`` or ``readSecret(prompt:)`` is under way is the
/// terminal in an editing mode; otherwise it gathers and echoes lines itself and Ctrl-C is SIGINT. What is
/// typed or pasted in between is kept for the next line.
///
/// Uses `el_gets` of libedit on single keys rather than the `rl_callback` functions built upon it: those read
/// the terminal by themselves and so wait inside a key sequence, which a lone Escape already begins.
@MainActor
package final class LineEditor {
    /// Offers completions for a line and the position of the cursor in its UTF-8.
    package typealias Completions = @MainActor (_ line: String, _ cursor: Int) -> CompletionList

    /// What is being read.
    enum Activity {
        /// Nothing: the terminal is in its normal mode.
        case none
        case line(CheckedContinuation<LineInput, Never>)
        case secret([UInt8], CheckedContinuation<String, any Error>)
    }

    let editline: Editline
    let completions: Completions
    var activity = Activity.none
    /// The prompt on the screen; during a search not the one that was asked for.
    var prompt = EncodedPrompt("")
    /// The prompt that was asked for.
    var linePrompt = EncodedPrompt("")
    /// The history search under way.
    var search: HistorySearch?
    /// Each line as typed, oldest first.
    private(set) var history: CommandHistory
    /// The mode between two lines.
    var normalMode: TerminalMode?

    /// Who is told what happens to the terminal.
    var events = Events()

    /// What somebody else may have to know of the terminal.
    struct Events {
        /// The terminal may have another size now.
        var didResize: @MainActor () -> Void = {}
        /// The process goes on after it was stopped, and nothing is being read.
        var didContinue: @MainActor () -> Void = {}
        /// The prompt takes this many rows, with what has been typed.
        var rowsDidChange: @MainActor (Int) -> Void = { _ in }
    }

    private let historyFile: HistoryFile?
    private var decoder = InputDecoder()
    private let input: any DispatchSourceRead
    /// Counts what has been read, so that a cancellation that comes late hits nothing else.
    private var reading = 0
    private var isListening = false
    private var hasEnded = false
    private var signals: [SignalSource] = []

    /// Loads libedit and the history; the terminal stays as it is until a line is read.
    ///
    /// - Parameters:
    ///   - historyFile: Where lines are kept from one run to the next. Nil keeps them in memory. A file that
    ///     cannot be used costs the history, not the editor.
    ///   - completions: Asked when somebody presses Tab.
    /// - Throws: ``LineEditorError`` where standard input or output is no terminal or libedit is missing.
    package init(historyFile: String?, completions: @escaping Completions) throws(LineEditorError) {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw .noTerminal()
        }
        // libedit sets its idea of a normal mode when it starts; the terminal gets its own back at once.
        let mode = TerminalMode.current()
        editline = try Editline(historySize: CommandHistory.capacity)
        mode?.apply()
        self.completions = completions
        self.historyFile = historyFile.map { HistoryFile(path: $0) }
        history = self.historyFile?.load() ?? CommandHistory()
        for line in history.lines { editline.addHistory(line) }
        input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        listen()
    }

    // MARK: - Reading

    /// Shows a prompt and waits for a line.
    ///
    /// One at a time.
    ///
    /// A line that was typed ahead is returned at once. When the task is cancelled, what was typed is dropped
    /// and the result is `endOfInput`.
    ///
    /// - Parameter prompt: One line; colours (`ESC [ … m`) take no room in it.
    /// - Returns: What the person did.
    package func readLine(prompt: String) async -> LineInput {
        precondition(isIdle, "A line is being read already.")
        guard !hasEnded, !Task.isCancelled else { return .endOfInput }
        reading += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                activity = .line(continuation)
                beginLine(EncodedPrompt(prompt))
                proceed()
            }
        } onCancel: { [reading] in
            Task { @MainActor in
                if reading == self.reading { self.finishLine(.endOfInput) }
            }
        }
    }

    /// Asks for something that is not to be seen: nothing typed is shown or kept in the history.
    ///
    /// Backspace and Ctrl-U work.
    ///
    /// - Throws: `CancellationError` on Ctrl-C, on Ctrl-D with nothing typed, at the end of input and when
    ///   the task is cancelled. The terminal is in its normal mode again in any case.
    package func readSecret(prompt: String) async throws -> String {
        precondition(isIdle, "A line is being read already.")
        try Task.checkCancellation()
        guard !hasEnded else { throw CancellationError() }
        reading += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                activity = .secret([], continuation)
                beginSecret(EncodedPrompt(prompt))
                proceed()
            }
        } onCancel: { [reading] in
            Task { @MainActor in
                if reading == self.reading { self.finishSecret(.failure(CancellationError())) }
            }
        }
    }

    /// Forgets what has been typed ahead, as after Ctrl-C during the command before.
    package func discardTypeAhead() {
        guard isIdle else { return }
        decoder.removeAll()
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Ends whatever is being read (a line with `endOfInput`) and leaves the terminal as it was found.
    ///
    /// The editor reads nothing any more. Once is enough.
    package func close() {
        end()
        for signal in signals { signal.stop() }
        signals = []
        guard !input.isCancelled else { return }
        // A source that is suspended must not be released.
        if !isListening { input.resume() }
        input.cancel()
    }

    // MARK: - History

    /// Adds a line to what Up and Ctrl-R find, now and in later runs, unless it is blank or repeats the last.
    package func addHistory(_ line: String) {
        guard history.add(line) else { return }
        editline.addHistory(line)
        historyFile?.append(line)
    }

    // MARK: - Input

    var isIdle: Bool {
        if case .none = activity { true } else { false }
    }

    private func listen() {
        input.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.readInput() }
        }
        signals = [
            SignalSource(signal: SIGWINCH, queue: .main) { [weak self] in
                MainActor.assumeIsolated { self?.terminalDidResize() }
            },
            SignalSource(signal: SIGCONT, queue: .main) { [weak self] in
                MainActor.assumeIsolated { self?.processDidContinue() }
            },
        ].compactMap { $0 }
    }

    /// Reads what has been typed.
    ///
    /// Only called when there is something or the terminal is gone.
    private func readInput() {
        guard !isIdle else { return }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(read(STDIN_FILENO, buffer.baseAddress, buffer.count), 0)
        }
        if bytes.isEmpty, errno != EINTR, errno != EAGAIN { return end() }
        decoder.append(bytes)
        proceed()
    }

    /// Acts on what has been typed until the line is done, then waits for more.
    private func proceed() {
        while !isIdle, let event = decoder.next() {
            handle(event)
        }
        tellRows()
        setListening(!isIdle)
    }

    private func handle(_ event: InputDecoder.Event) {
        switch activity {
        case .none: break
        case .line: handleInLine(event)
        case .secret: handleInSecret(event)
        }
    }

    /// Between two lines what is typed stays with the terminal, which then echoes it.
    private func setListening(_ listens: Bool) {
        guard listens != isListening else { return }
        isListening = listens
        if listens { input.resume() } else { input.suspend() }
    }

    private func end() {
        hasEnded = true
        finishLine(.endOfInput)
        finishSecret(.failure(CancellationError()))
    }

    // MARK: - Ends

    /// Hands the line over; the terminal is in its normal mode before whoever waits goes on.
    func finishLine(_ result: LineInput) {
        guard case .line(let continuation) = activity else { return }
        activity = .none
        endLine()
        setListening(false)
        continuation.resume(returning: result)
    }

    func finishSecret(_ result: Result<String, any Error>) {
        guard case .secret(_, let continuation) = activity else { return }
        activity = .none
        endSecret()
        setListening(false)
        continuation.resume(with: result)
    }
}
