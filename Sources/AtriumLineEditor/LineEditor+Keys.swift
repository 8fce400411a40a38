internal import AtriumLanguage
internal import AtriumText
internal import CTerminal
internal import Glibc

extension LineEditor {
    /// Tab: inserts the unambiguous part; if there is none, lists the candidates.
    ///
    /// If they take a moment, the keys after it wait.
    func complete() {
        let (text, cursor) = (buffer.text, buffer.beforeCursor.utf8.count)
        completion = .running
        Task.immediate {
            let list = await completions(text, cursor)
            let isLate = completion == .awaited
            completion = .none
            // A line that ended meanwhile has no cursor.
            if case .line = activity, buffer.text == text { insert(list, at: cursor) }
            if isLate { proceed() }
        }
        if completion == .running { completion = .awaited }
    }

    private func insert(_ list: CompletionList, at cursor: Int) {
        guard let only = list.candidates.first, (0...cursor).contains(list.start) else { return beep() }
        if list.candidates.count == 1 {
            buffer.replaceWord(from: list.start, with: only.isFinal ? only.text + " " : only.text)
        } else if list.commonPrefix.utf8.count > cursor - list.start {
            buffer.replaceWord(from: list.start, with: list.commonPrefix)
        } else {
            printBelow(CandidateTable(candidates: list.candidates, size: Terminal.size()).lines)
        }
    }
}

extension LineEditor {
    private enum Key {
        static let interrupt: [UInt8] = [0x03]
        static let endOfInput: [UInt8] = [0x04]
        static let abort: [UInt8] = [0x07]
        static let backspaces: [[UInt8]] = [[0x08], [0x7f]]
        static let tab: [UInt8] = [0x09]
        static let enters: [[UInt8]] = [[0x0a], [0x0d]]
        static let clear: [UInt8] = [0x0c]
        static let search: [UInt8] = [0x12]
        /// Ctrl-V, which arrives with the key after it.
        static let quote: UInt8 = 0x16
        static let suspend: [UInt8] = [0x1a]
        /// Ctrl-X Ctrl-E, which arrives as one key.
        static let edit: [UInt8] = [0x18, 0x05]
        static let up: Set = keys("\u{1b}[A", "\u{1b}OA", "\u{10}", "\u{1b}p")
        static let down: Set = keys("\u{1b}[B", "\u{1b}OB", "\u{e}", "\u{1b}n")

        static let edits: [[UInt8]: LineBuffer.Edit] = {
            var edits: [[UInt8]: LineBuffer.Edit] = [:]
            for (edit, keys) in table { for key in keys { edits[key] = edit } }
            return edits
        }()

        private static let table: [(LineBuffer.Edit, Set<[UInt8]>)] = [
            (.left, keys("\u{2}", "\u{1b}[D", "\u{1b}OD")),
            (.right, keys("\u{6}", "\u{1b}[C", "\u{1b}OC")),
            (.start, keys("\u{1}", "\u{1b}[H", "\u{1b}OH", "\u{1b}[1~", "\u{1b}[7~")),
            (.end, keys("\u{5}", "\u{1b}[F", "\u{1b}OF", "\u{1b}[4~", "\u{1b}[8~")),
            (.wordLeft, keys("\u{1b}b", "\u{1b}[1;5D", "\u{1b}[1;3D", "\u{1b}[5D", "\u{1b}\u{1b}[D")),
            (.wordRight, keys("\u{1b}f", "\u{1b}[1;5C", "\u{1b}[1;3C", "\u{1b}[5C", "\u{1b}\u{1b}[C")),
            (.deleteLeft, Set(backspaces)), (.deleteRight, keys("\u{4}", "\u{1b}[3~")),
            (.killWordLeft, keys("\u{17}", "\u{1b}\u{7f}", "\u{1b}\u{8}")), (.killWordRight, keys("\u{1b}d")),
            (.killToStart, keys("\u{15}")), (.killToEnd, keys("\u{b}")), (.yank, keys("\u{19}")),
            (.transpose, keys("\u{14}")), (.uppercase, keys("\u{1b}u", "\u{1b}U")),
            (.lowercase, keys("\u{1b}l", "\u{1b}L")), (.capitalize, keys("\u{1b}c", "\u{1b}C")),
        ]

        private static func keys(_ texts: String...) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }
    }

    func handleInLine(_ event: InputDecoder.Event) {
        guard !isTooLong || event.bytes == Key.interrupt || Key.enters.contains(event.bytes) else { return }
        switch event {
        case .key(let key): handleInLine(key)
        case .pasted(let character):
            if search != nil { endSearch(keepsFound: true) }
            if Key.enters.contains(character) {
                enter()
            } else {
                buffer.insert(String(decoding: character, as: UTF8.self))
            }
        }
    }

    private func handleInLine(_ key: [UInt8]) {
        if search != nil, handleInSearch(key) { return }
        if Key.up.contains(key) || Key.down.contains(key) { return walkHistory(isUp: Key.up.contains(key)) }
        walk = nil
        switch key {
        case _ where Key.enters.contains(key): enter()
        case Key.edit: openEditor()
        case Key.interrupt: finish(.interrupted)
        case Key.endOfInput where buffer.isEmpty || isAtEmptyRow: endInput()
        case Key.tab: complete()
        case Key.clear: clearScreen()
        case Key.search: beginSearch()
        case Key.suspend: suspendProcess()
        case _ where key[0] == Key.quote && key.count > 1:
            buffer.insert(String(decoding: key.dropFirst(), as: UTF8.self))
        case _ where key[0] >= 0x20 && key[0] != 0x7f: buffer.insert(String(decoding: key, as: UTF8.self))
        default: if Key.edits[key].map({ buffer.perform($0) }) != true { beep() }
        }
    }

    /// Enter: runs the text, or begins another row while a quote is open or after a backslash.
    func enter() {
        if !isTooLong, Lexer.continuation(of: buffer.text) != nil {
            buffer.moveToEnd()
            buffer.insert("\n")
            return
        }
        finish(isTooLong || buffer.utf8Count > LineSplitter.limit ? .tooLong : .line(buffer.text))
    }

    /// Ctrl-D on a new row: the text is returned unfinished, and is an error.
    private func endInput() {
        finish(buffer.isEmpty ? .endOfInput : .line(String(buffer.text.dropLast())))
    }

    private var isAtEmptyRow: Bool { buffer.isAtEnd && buffer.characters.last == "\n" }

    /// Moves to the row above or below, or else to the older or newer entry that begins with the typed text.
    private func walkHistory(isUp: Bool) {
        if walk == nil {
            if buffer.moveToRow(isUp: isUp) { return }
            walk = HistoryWalk(buffer.text)
        }
        guard let line = isUp ? walk?.older(in: history) : walk?.newer(in: history) else { return beep() }
        buffer.set(line)
    }

    /// Stops the process, as Ctrl-Z does elsewhere; ``processDidContinue()`` resumes the line.
    private func suspendProcess() {
        showEnd()
        isStopping = true
        terminal_signals_stop()
    }

    private func beginSearch() {
        search = HistorySearch(original: buffer.text)
        showSearch()
    }

    /// - Returns: True if the key belonged to the search; any other key ends it.
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
        if search.hasFailed { beep() }
        prompt = search.prompt.printableLine
        buffer.set(search.line(in: history))
    }

    private func endSearch(keepsFound: Bool) {
        guard let search else { return }
        self.search = nil
        prompt = linePrompt
        buffer.set(keepsFound ? search.line(in: history) : search.original)
    }

    func handleInSecret(_ event: InputDecoder.Event) {
        guard case .secret(var typed) = activity else { return }
        // The only reference, so that a key does not copy the text typed before.
        activity = .secret([])
        let key = event.bytes
        switch key {
        case Key.interrupt: return finish(.interrupted)
        case Key.endOfInput where typed.isEmpty: return finish(.endOfInput)
        case _ where Key.enters.contains(key):
            guard typed.count <= LineSplitter.limit else { return finish(.tooLong) }
            return finish(.line(String(decoding: typed, as: UTF8.self)))
        case Key.suspend:
            Terminal.write("\n")
            terminal_signals_stop()
        case [0x15]: typed = []
        case _ where Key.backspaces.contains(key):
            typed = Array(String(decoding: typed, as: UTF8.self).dropLast().utf8)
        case _ where key[0] >= 0x20:
            // One byte more than the limit, which is refused when the secret is entered.
            if typed.count <= LineSplitter.limit { typed += key }
        default: break
        }
        activity = .secret(typed)
    }
}
