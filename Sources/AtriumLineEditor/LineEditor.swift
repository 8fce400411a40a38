package import AtriumKit
internal import AtriumLanguage
package import AtriumText
internal import Dispatch
internal import Glibc

/// Reads lines from a user at a terminal: editing, history, completion, secrets.
///
/// Works on the main queue and never blocks on a key. The terminal is in editing mode only while a line or a
/// secret is read; otherwise it echoes lines itself, Ctrl-C is SIGINT, and typed text is kept for the next
/// line.
@MainActor
package final class LineEditor {
    enum Activity {
        case none
        case line
        case secret([UInt8])
    }

    enum Completion {
        case none
        case running
        /// It did not finish at once.
        case awaited
    }

    /// Completes a line up to the cursor, an offset in its UTF-8.
    let completions: @MainActor (_ line: String, _ cursor: Int) async -> CompletionList
    var completion = Completion.none
    var activity = Activity.none
    private var continuation: CheckedContinuation<LineInput, Never>?
    /// The prompt on the screen; during a search it differs from ``linePrompt``.
    var prompt = ""
    var linePrompt = ""
    var search: HistorySearch?
    /// Up and Down through the entries that begin with the typed text.
    var walk: HistoryWalk?
    var buffer = LineBuffer()
    var display = LineDisplay()
    /// True if the next drawing beeps.
    var beeps = false
    /// True from Ctrl-Z until the process continues.
    var isStopping = false
    /// True if another program has the terminal; lines to print above the prompt then wait.
    private(set) var isInOtherProgram = false
    private var waitingLines: [String] = []
    private(set) var history: CommandHistory
    var normalMode: TerminalMode?

    package var didResize: @MainActor () -> Void = {}
    /// Called when the process resumed after it was stopped, while nothing was read.
    package var didContinue: @MainActor () -> Void = {}
    /// Called with the number of rows of the prompt and the typed text.
    package var rowsDidChange: @MainActor (Int) -> Void = { _ in }

    private let historyFile: HistoryFile?
    private var decoder = InputDecoder()
    private let input: any DispatchSourceRead
    /// Numbers the reads, so that a late cancellation does not affect another one.
    private var reading = 0
    private var isListening = false
    private var hasEnded = false
    private var signals: [SignalSource] = []
    /// True if the line has reached ``LineSplitter/limit``, so that the rest of it is dropped.
    private(set) var isTooLong = false

    /// - Throws: ``ShellError`` if standard input or output is not a terminal.
    package init(
        historyFile: String?, report: (any ExplainedError) -> Void = { _ in },
        completions: @escaping @MainActor (_ line: String, _ cursor: Int) async -> CompletionList
    ) throws(ShellError) {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(HostOutput.standardOutput) else {
            throw ShellError(
                "lineEditorUnavailable",
                "The line editor can't start: standard input and output are not both a terminal.",
                hint: "Run commands with -c 'LINE', or pipe them in.")
        }
        self.completions = completions
        self.historyFile = historyFile.map { HistoryFile(path: $0) }
        history = self.historyFile?.load(report: report) ?? CommandHistory()
        input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        listen()
    }

    /// Prompts for a line; a line that was typed ahead is returned at once.
    ///
    /// It has further rows while a quote is open, or after a backslash; Ctrl-C drops them all.
    package func readCommand(prompt: String) async -> LineInput {
        await read {
            activity = .line
            isTooLong = false
            beginLine(prompt.printableLine)
        }
    }

    /// Prompts for a secret without echo; not kept in the history.
    ///
    /// - Throws: `CancellationError` on Ctrl-C, on Ctrl-D with no text, at the end of input or when
    ///   cancelled.
    package func readSecret(prompt: String) async throws -> String {
        let input = await read {
            activity = .secret([])
            beginSecret(prompt.printableLine)
        }
        switch input {
        case .line(let secret): return secret
        case .tooLong:
            throw ShellError(
                "badInput", "The secret is longer than \(LineSplitter.limit) bytes; the command was not run.")
        case .endOfInput, .interrupted: throw CancellationError()
        }
    }

    private func read(_ begin: () -> Void) async -> LineInput {
        precondition(isIdle, "A line is being read already.")
        guard !hasEnded, !Task.isCancelled else { return .endOfInput }
        reading += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                begin()
                proceed()
            }
        } onCancel: { [reading] in
            Task { @MainActor in
                if reading == self.reading { self.finish(.endOfInput) }
            }
        }
    }

    func finish(_ result: LineInput) {
        let former = activity
        activity = .none
        walk = nil
        switch former {
        case .none: return
        case .line: endLine(result == .interrupted ? "^C" : "")
        case .secret: endSecret()
        }
        setListening(false)
        continuation?.resume(returning: result)
        continuation = nil
    }

    /// Drops typed-ahead text, as after Ctrl-C.
    package func discardTypeAhead() {
        guard isIdle else { return }
        decoder.removeAll()
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Leaves the terminal to another program until ``resumeLine(with:)``.
    func suspendLine() {
        isInOtherProgram = true
        setListening(false)
        endLine()
    }

    /// Shows the line again, with the given text.
    func resumeLine(with text: String) {
        isInOtherProgram = false
        beginLine(linePrompt, with: text)
        setListening(true)
        let lines = waitingLines
        waitingLines = []
        for line in lines { printAbove(line) }
    }

    /// Holds lines back until the other program has ended; returns false if there is none.
    func waits(with text: String) -> Bool {
        if isInOtherProgram { waitingLines.append(text) }
        return isInOtherProgram
    }

    /// Ends the current read and restores the terminal; the editor can't be used any more.
    package func close() {
        end()
        for signal in signals { signal.stop() }
        signals = []
        guard !input.isCancelled else { return }
        // A suspended source must not be released.
        if !isListening { input.resume() }
        input.cancel()
    }

    /// Ends the current read, on a separate line, as if the input had ended.
    package func leave() { end() }

    package func addHistory(_ line: String) {
        guard history.add(line) else { return }
        historyFile?.append(line)
    }

    package var isIdle: Bool { if case .none = activity { true } else { false } }

    private func listen() {
        input.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.readInput() } }
        signals = [
            SignalSource(signal: SIGWINCH, queue: .main) { [weak self] in
                MainActor.assumeIsolated { self?.terminalDidResize() }
            },
            SignalSource(signal: SIGCONT, queue: .main) { [weak self] in
                MainActor.assumeIsolated { self?.processDidContinue() }
            },
        ].compactMap { $0 }
    }

    private func readInput() {
        guard !isIdle else { return }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count), 0)
        }
        if bytes.isEmpty, errno != EINTR, errno != EAGAIN { return end() }
        decoder.append(bytes)
        proceed()
    }

    /// Handles typed input until the line is done, then waits for more.
    func proceed() {
        var text: [UInt8] = []
        while !isIdle, !isInOtherProgram, completion != .awaited, let event = decoder.next() {
            if isText(event) {
                text.append(contentsOf: event.bytes)
            } else {
                insert(&text)
                handle(event)
            }
        }
        insert(&text)
        if case .line = activity, !isInOtherProgram, !isStopping { draw() }
        tellRows()
        setListening(!isIdle && !isInOtherProgram && completion != .awaited)
    }

    /// True if it is a character to insert into the line.
    private func isText(_ event: InputDecoder.Event) -> Bool {
        guard case .line = activity, search == nil else { return false }
        switch event {
        case .key(let key): return key[0] >= 0x20 && key[0] != 0x7f
        case .pasted(let character): return character[0] >= 0x20 || character[0] == UInt8(ascii: "\t")
        }
    }

    /// Inserts characters that arrived together.
    private func insert(_ text: inout [UInt8]) {
        defer { text = [] }
        guard !text.isEmpty, !isTooLong else { return }
        walk = nil
        buffer.insert(String(decoding: text, as: UTF8.self))
        isTooLong = buffer.utf8Count > LineSplitter.limit
    }

    private func handle(_ event: InputDecoder.Event) {
        switch activity {
        case .none: break
        case .line: handleInLine(event)
        case .secret: handleInSecret(event)
        }
    }

    /// Starts or stops reading keys: between two lines, input stays with the terminal, which then echoes it.
    private func setListening(_ listens: Bool) {
        guard listens != isListening else { return }
        isListening = listens
        if listens { input.resume() } else { input.suspend() }
    }

    private func end() {
        hasEnded = true
        finish(.endOfInput)
    }
}

package enum LineInput: Equatable, Sendable {
    /// Enter: the typed line, without its line end.
    case line(String)
    /// Enter after a line longer than ``LineSplitter/limit``.
    case tooLong
    /// Ctrl-C: the typed text is dropped.
    case interrupted
    /// Ctrl-D on an empty line, or the terminal was closed.
    case endOfInput
}
