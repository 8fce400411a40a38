internal import AtriumLanguage
internal import AtriumText
internal import CEditline
internal import Glibc

@MainActor
package struct EditedLine {
    let text: String
    /// The cursor as an offset in the line's UTF-8.
    let cursor: Int

    static var current: EditedLine {
        let line = ceditline_get_line()
        let bytes = UnsafeRawBufferPointer(start: line.text, count: line.length)
        return EditedLine(text: String(decoding: bytes, as: UTF8.self), cursor: line.cursor)
    }

    /// The number of scalars in the line.
    static var length: Int { ceditline_length() }

    var beforeCursor: Substring { text[..<text.utf8.index(text.startIndex, offsetBy: cursor)] }
}

extension LineEditor {
    /// Tab: inserts the unambiguous part; if there is none, lists the candidates.
    func complete() {
        let line = EditedLine.current
        let list = completions(line.text, line.cursor)
        guard let only = list.candidates.first, (0...line.cursor).contains(list.start) else {
            return ceditline_beep()
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
        let before = EditedLine.current.beforeCursor
        let word = before[before.utf8.index(before.startIndex, offsetBy: start)...]
        ceditline_replace_before_cursor(Int32(word.unicodeScalars.count), text)
        ceditline_refresh()
    }
}

extension LineEditor {
    /// Keys that are not passed to libedit.
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
        /// Ctrl-X Ctrl-E, which arrives as one key.
        static let edit: [UInt8] = [0x18, 0x05]
        static let up = ["\u{1b}[A", "\u{1b}OA"].map { Array($0.utf8) }
        static let down = ["\u{1b}[B", "\u{1b}OB"].map { Array($0.utf8) }

        /// The sequences that libedit handles; it would read the end of any other as text.
        private static let sequences: Set<[UInt8]> = Set(
            [
                "[A", "[B", "[C", "[D", "[F", "[H", "OA", "OB", "OC", "OD", "OF", "OH", "[1~", "[2~", "[3~",
                "[4~", "[7~", "[8~", "[5C", "[5D", "[1;3C", "[1;3D", "[1;5C", "[1;5D", "\u{1b}[C", "\u{1b}[D",
            ].map { Array("\u{1b}\($0)".utf8) })

        static func isUnknownSequence(_ key: [UInt8]) -> Bool {
            key.count > 2 && key[0] == 0x1b && key[1] < 0x80 && !sequences.contains(key)
        }
    }

    /// Inserts text at the cursor.
    func insert(_ text: [UInt8]) {
        ceditline_replace_before_cursor(0, String(decoding: text, as: UTF8.self))
        // The end of a longer line is off screen, and libedit would go through all of it.
        if !isLongerThanScreen { ceditline_refresh() }
    }

    func handleInLine(_ event: InputDecoder.Event) {
        guard !isTooLong || event.bytes == Key.interrupt || Key.enters.contains(event.bytes) else { return }
        switch event {
        case .key(let key): handleInLine(key)
        case .pasted(let character):
            // A pasted tab is text.
            if search != nil { endSearch(keepsFound: true) }
            if character == Key.tab {
                replaceWord(from: EditedLine.current.cursor, with: "\t")
            } else {
                feed(character)
            }
        }
    }

    private func handleInLine(_ key: [UInt8]) {
        if search != nil, handleInSearch(key) { return }
        if Key.up.contains(key) || Key.down.contains(key) {
            if walkHistory(isUp: Key.up.contains(key)) { return }
        } else {
            (walk, walksAll) = (nil, false)
        }
        switch key {
        case Key.edit: openEditor()
        case Key.interrupt: interruptLine()
        case Key.endOfInput where EditedLine.current.text.isEmpty:
            Terminal.write("\n")
            finish(.endOfInput)
        case Key.tab: complete()
        case Key.search: beginSearch()
        case Key.suspend: suspendProcess()
        case _ where key == Key.null || Key.isUnknownSequence(key): ceditline_beep()
        default: feed(key)
        }
    }

    private func feed(_ key: [UInt8]) {
        let key = Key.enters.contains(key) ? [0x0a] : key
        guard key.withUnsafeBytes({ ceditline_feed($0.baseAddress, $0.count) }) else { return }
        let text = EditedLine.current.text
        if isTooLong || text.utf8.count > LineSplitter.limit { return finish(.tooLong) }
        finish(.line(text.hasSuffix("\n") ? String(text.dropLast()) : text))
    }

    /// Moves to the older or newer line that begins with the typed text; libedit walks through all lines.
    ///
    /// - Returns: True if it did so.
    private func walkHistory(isUp: Bool) -> Bool {
        let text = EditedLine.current.text
        if walk == nil, !walksAll {
            guard !text.isEmpty else {
                walksAll = true
                return false
            }
            walk = HistoryWalk(text)
        }
        guard walk != nil else { return false }
        guard let line = isUp ? walk?.older(in: history) : walk?.newer(in: history) else {
            ceditline_beep()
            return true
        }
        ceditline_replace(line)
        ceditline_refresh()
        return true
    }

    private func interruptLine() {
        ceditline_move_to_end()
        ceditline_refresh()
        Terminal.write("^C\n")
        finish(.interrupted)
    }

    /// Stops the process, as Ctrl-Z does elsewhere; ``processDidContinue()`` resumes the line.
    private func suspendProcess() {
        ceditline_move_to_end()
        ceditline_refresh()
        Terminal.write("\n")
        // The whole process group, so that a script around this process stops too.
        kill(0, SIGTSTP)
    }

    private func beginSearch() {
        search = HistorySearch(original: EditedLine.current.text)
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
        if search.hasFailed { ceditline_beep() }
        show(prompt: search.prompt.printableLine, text: search.line(in: history))
    }

    private func endSearch(keepsFound: Bool) {
        guard let search else { return }
        self.search = nil
        show(prompt: linePrompt, text: keepsFound ? search.line(in: history) : search.original)
    }

    private func show(prompt: String, text: String) {
        self.prompt = prompt
        ceditline_set_prompt(prompt)
        ceditline_replace(text)
        ceditline_refresh()
    }

    func handleInSecret(_ event: InputDecoder.Event) {
        guard case .secret(var typed) = activity else { return }
        // The only reference, so that a key does not copy the text typed before.
        activity = .secret([])
        let key =
            switch event {
            case .key(let key), .pasted(let key): key
            }
        switch key {
        case Key.interrupt: return finish(.interrupted)
        case Key.endOfInput where typed.isEmpty: return finish(.endOfInput)
        case _ where Key.enters.contains(key):
            guard typed.count <= LineSplitter.limit else { return finish(.tooLong) }
            return finish(.line(String(decoding: typed, as: UTF8.self)))
        case Key.suspend:
            Terminal.write("\n")
            kill(0, SIGTSTP)
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
