internal import Glibc

extension LineEditor {
    /// The keys that are not libedit's affair.
    private enum Key {
        /// Ctrl-@, on which libedit would wait for another key.
        static let null: [UInt8] = [0x00]
        static let interrupt: [UInt8] = [0x03]
        static let endOfInput: [UInt8] = [0x04]
        static let abort: [UInt8] = [0x07]
        static let backspaces: [[UInt8]] = [[0x08], [0x7f]]
        static let tab: [UInt8] = [0x09]
        static let enters: [[UInt8]] = [[0x0a], [0x0d]]
        static let search: [UInt8] = [0x12]
        static let suspend: [UInt8] = [0x1a]

        /// The sequences libedit acts on.
        ///
        /// Of any other it would take the end for text.
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

    // MARK: - In a line

    func handleInLine(_ event: InputDecoder.Event) {
        switch event {
        case .key(let key):
            handleInLine(key)
        case .pasted(let character):
            // A tab that was pasted is text, not a question.
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

    /// Lets libedit act on a key, or ends the line.
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

    /// Stops the process as Ctrl-Z does elsewhere; ``processDidContinue()`` goes on with the line.
    private func suspendProcess() {
        editline.moveToEnd()
        editline.refresh()
        Terminal.write("\n")
        // All of the group, so that a script around this process stops with it. The handler of the signal
        // restores the terminal.
        kill(0, SIGTSTP)
    }

    // MARK: - In a search

    private func beginSearch() {
        search = HistorySearch(original: editline.line.text)
        showSearch()
    }

    /// - Returns: Whether the key belonged to the search; any other ends it and has its usual effect.
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

    // MARK: - In a secret

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
