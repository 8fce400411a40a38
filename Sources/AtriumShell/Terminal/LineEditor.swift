package import AtriumKit
internal import Dispatch
internal import Glibc

/// Reads lines from a person at a terminal: editing, history, completion, secrets.
///
/// Works on the main queue and never blocks on a key. The terminal is in editing mode only while a line or a
/// secret is read; otherwise it echoes lines itself, Ctrl-C is SIGINT, and what is typed is kept for the next
/// line.
///
/// Passes single keys to `el_gets` of libedit: the `rl_callback` functions read the terminal themselves and
/// block inside a key sequence, which a lone Escape already begins.
@MainActor
package final class LineEditor {
    /// Returns completions for a line and the cursor's offset in its UTF-8.
    package typealias Completions = @MainActor (_ line: String, _ cursor: Int) -> CompletionList

    enum Activity {
        /// The terminal is in its normal mode.
        case none
        case line(CheckedContinuation<LineInput, Never>)
        case secret([UInt8], CheckedContinuation<String, any Error>)
    }

    let editline: Editline
    let completions: Completions
    var activity = Activity.none
    /// The prompt on the screen; during a search not ``linePrompt``.
    var prompt = EncodedPrompt("")
    var linePrompt = EncodedPrompt("")
    var search: HistorySearch?
    private(set) var history: CommandHistory
    /// The terminal's mode between two lines.
    var normalMode: TerminalMode?

    var events = Events()

    struct Events {
        var didResize: @MainActor () -> Void = {}
        /// The process resumed after it was stopped, while nothing was read.
        var didContinue: @MainActor () -> Void = {}
        /// The prompt takes this many rows, with what has been typed.
        var rowsDidChange: @MainActor (Int) -> Void = { _ in }
    }

    private let historyFile: HistoryFile?
    private var decoder = InputDecoder()
    private let input: any DispatchSourceRead
    /// Numbers the reads, so that a late cancellation hits no other one.
    private var reading = 0
    private var isListening = false
    private var hasEnded = false
    private var signals: [SignalSource] = []

    /// - Throws: ``ShellError`` if standard input or output is no terminal, or libedit is missing.
    package init(historyFile: String?, completions: @escaping Completions) throws(ShellError) {
        guard Terminal.isTerminal(STDIN_FILENO), Terminal.isTerminal(STDOUT_FILENO) else {
            throw ShellError(
                "lineEditorUnavailable",
                "The line editor can't start: standard input and output are not both a terminal.",
                hint: "Run commands with -c 'LINE', or pipe them in.")
        }
        // libedit changes the mode when it starts.
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

    /// Prompts for a line; one that was typed ahead is returned at once.
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

    /// Prompts for a secret without echo; not kept in the history.
    ///
    /// - Throws: `CancellationError` on Ctrl-C, on Ctrl-D with nothing typed, at the end of input and on cancellation.
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

    /// Drops what has been typed ahead, as after Ctrl-C.
    package func discardTypeAhead() {
        guard isIdle else { return }
        decoder.removeAll()
        tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Ends what is being read and restores the terminal; the editor can't be used any more.
    package func close() {
        end()
        for signal in signals { signal.stop() }
        signals = []
        guard !input.isCancelled else { return }
        // A suspended source must not be released.
        if !isListening { input.resume() }
        input.cancel()
    }

    package func addHistory(_ line: String) {
        guard history.add(line) else { return }
        editline.addHistory(line)
        historyFile?.append(line)
    }

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

extension LineEditor {
    /// Tab: completes what is certain; if nothing is, lists the candidates.
    func complete() {
        let line = editline.line
        let list = completions(line.text, line.cursor)
        guard let only = list.candidates.first, (0...line.cursor).contains(list.start) else {
            return editline.beep()
        }
        let word = String(line.beforeCursor.utf8.dropFirst(list.start)) ?? ""
        if list.candidates.count == 1 {
            replaceWord(from: list.start, with: only.isFinal ? only.text + " " : only.text)
        } else if list.commonPrefix.utf8.count > word.utf8.count {
            replaceWord(from: list.start, with: list.commonPrefix)
        } else {
            printBelow(CandidateTable(candidates: list.candidates, size: Terminal.size()).lines)
        }
    }

    private func replaceWord(from start: Int, with text: String) {
        editline.replace(from: start, with: text)
        editline.refresh()
    }
}

extension LineEditor {
    /// The keys that libedit doesn't get.
    private enum Key {
        static let null: [UInt8] = [0x00]
        static let interrupt: [UInt8] = [0x03]
        static let endOfInput: [UInt8] = [0x04]
        static let abort: [UInt8] = [0x07]
        static let backspaces: [[UInt8]] = [[0x08], [0x7f]]
        static let tab: [UInt8] = [0x09]
        static let enters: [[UInt8]] = [[0x0a], [0x0d]]
        static let search: [UInt8] = [0x12]
        static let suspend: [UInt8] = [0x1a]

        /// The sequences that libedit acts on; it would take the end of any other for text.
        private static let sequences: Set<[UInt8]> = Set(
            [
                "[A", "[B", "[C", "[D", "[F", "[H", "OA", "OB", "OC", "OD", "OF", "OH",
                "[1~", "[2~", "[3~", "[4~", "[7~", "[8~", "[5C", "[5D",
                "[1;3C", "[1;3D", "[1;5C", "[1;5D", "\u{1b}[C", "\u{1b}[D",
            ].map { Array("\u{1b}\($0)".utf8) })

        static func isUnknownSequence(_ key: [UInt8]) -> Bool {
            key.count > 2 && key[0] == 0x1b && key[1] < 0x80 && !sequences.contains(key)
        }
    }

    func handleInLine(_ event: InputDecoder.Event) {
        switch event {
        case .key(let key):
            handleInLine(key)
        case .pasted(let character):
            // A pasted tab is text.
            if search != nil { endSearch(keepsFound: true) }
            if character == Key.tab { insert("\t") } else { feed(character) }
        }
    }

    private func handleInLine(_ key: [UInt8]) {
        if search != nil, handleInSearch(key) { return }
        switch key {
        case Key.interrupt: interruptLine()
        case Key.endOfInput where editline.line.text.isEmpty: leave()
        case Key.tab: complete()
        case Key.search: beginSearch()
        case Key.suspend: suspendProcess()
        case _ where key == Key.null || Key.isUnknownSequence(key): editline.beep()
        default: feed(key)
        }
    }

    private func feed(_ key: [UInt8]) {
        let key = Key.enters.contains(key) ? [0x0a] : key
        guard editline.feed(key) else { return }
        let text = editline.line.text
        finishLine(.line(text.hasSuffix("\n") ? String(text.dropLast()) : text))
    }

    private func insert(_ text: String) {
        editline.replace(from: editline.line.cursor, with: text)
        editline.refresh()
    }

    private func interruptLine() {
        editline.moveToEnd()
        editline.refresh()
        Terminal.write("^C\n")
        finishLine(.interrupted)
    }

    private func leave() {
        Terminal.write("\n")
        finishLine(.endOfInput)
    }

    /// Stops the process like Ctrl-Z elsewhere; ``processDidContinue()`` resumes the line.
    private func suspendProcess() {
        editline.moveToEnd()
        editline.refresh()
        Terminal.write("\n")
        // The whole group, so that a script around this process stops too.
        kill(0, SIGTSTP)
    }

    private func beginSearch() {
        search = HistorySearch(original: editline.line.text)
        showSearch()
    }

    /// - Returns: Whether the key belonged to the search; any other ends it.
    private func handleInSearch(_ key: [UInt8]) -> Bool {
        switch key {
        case Key.search: search?.findOlder(in: history)
        case Key.interrupt, Key.abort:
            endSearch(keepsFound: false)
            return true
        case _ where Key.backspaces.contains(key): search?.removeLast(in: history)
        case _ where key[0] >= 0x20: search?.append(String(decoding: key, as: UTF8.self), in: history)
        default:
            endSearch(keepsFound: true)
            return false
        }
        showSearch()
        return true
    }

    private func showSearch() {
        guard let search else { return }
        if search.hasFailed { editline.beep() }
        show(prompt: EncodedPrompt(search.prompt), text: search.line(in: history))
    }

    private func endSearch(keepsFound: Bool) {
        guard let search else { return }
        self.search = nil
        show(prompt: linePrompt, text: keepsFound ? search.line(in: history) : search.original)
    }

    private func show(prompt: EncodedPrompt, text: String) {
        self.prompt = prompt
        editline.setPrompt(prompt)
        editline.replace(with: text)
        editline.refresh()
    }

    func handleInSecret(_ event: InputDecoder.Event) {
        guard case .secret(var typed, let continuation) = activity else { return }
        let key =
            switch event {
            case .key(let key), .pasted(let key): key
            }
        switch key {
        case Key.interrupt:
            return finishSecret(.failure(CancellationError()))
        case Key.endOfInput where typed.isEmpty:
            return finishSecret(.failure(CancellationError()))
        case _ where Key.enters.contains(key):
            return finishSecret(.success(String(decoding: typed, as: UTF8.self)))
        case Key.suspend:
            Terminal.write("\n")
            kill(0, SIGTSTP)
        case [0x15]:
            typed = []
        case _ where Key.backspaces.contains(key):
            typed = Array(String(decoding: typed, as: UTF8.self).dropLast().utf8)
        case _ where key[0] >= 0x20:
            typed += key
        default:
            break
        }
        activity = .secret(typed, continuation)
    }
}

package enum LineInput: Equatable, Sendable {
    /// Enter: the line typed, without its end.
    case line(String)
    /// Ctrl-C: what was typed is dropped.
    case interrupted
    /// Ctrl-D on an empty line, or the terminal is gone.
    case endOfInput
}
