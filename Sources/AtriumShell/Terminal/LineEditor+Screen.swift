internal import CEditline

extension LineEditor {
    /// Sequences that every terminal understands, but for those that understand none.
    private enum Sequence {
        static let pasteOn = make("?2004h")
        static let pasteOff = make("?2004l")
        static let clearToEnd = make("J")

        static func up(_ rows: Int) -> String { rows > 0 ? make("\(rows)A") : "" }

        private static func make(_ text: String) -> String {
            Terminal.understandsSequences ? "\u{1b}[\(text)" : ""
        }
    }

    // MARK: - Modes

    func beginLine(_ prompt: EncodedPrompt) {
        self.prompt = prompt
        linePrompt = prompt
        search = nil
        takeTerminal()
        Terminal.write(Sequence.pasteOn + freshRow)
        editline.begin(prompt: prompt)
    }

    func endLine() {
        editline.end()
        Terminal.write(Sequence.pasteOff)
        leaveTerminal()
    }

    func beginSecret(_ prompt: EncodedPrompt) {
        self.prompt = prompt
        takeTerminal()
        normalMode?.silent.apply()
        Terminal.write(freshRow + prompt.source)
    }

    func endSecret() {
        Terminal.write("\n")
        leaveTerminal()
    }

    /// Notes the mode to go back to, also for when the process is stopped or ended.
    private func takeTerminal() {
        // After a SIGSTOP out of the blue the terminal may be in an editing mode still.
        if let mode = TerminalMode.current(), mode.isNormal { normalMode = mode }
        normalMode?.guardOnExit()
    }

    private func leaveTerminal() {
        // Not libedit's normal mode, which forces some flags that somebody may have turned off.
        normalMode?.apply()
        TerminalMode.endGuard()
    }

    /// Puts the cursor at the start of an empty row.
    ///
    /// After output without a line end that is the next row: a row of blanks wraps there, and stays within
    /// the row where the cursor is at its start already. Only this makes rows countable.
    private var freshRow: String {
        guard Terminal.understandsSequences else { return "" }
        return String(repeating: " ", count: Terminal.size().columns) + "\r" + Sequence.clearToEnd
    }

    // MARK: - Rows

    /// Tells how many rows the prompt takes with what has been typed; between two lines, what the prompt alone
    /// will take again.
    func tellRows() {
        let text: String
        switch activity {
        case .line: text = editline.line.text
        case .none: text = ""
        case .secret: return
        }
        events.rowsDidChange(TextLayout(columns: Terminal.size().columns).end(of: flow(text)).row + 1)
    }

    // MARK: - Output above the prompt

    /// Writes lines above the prompt, which then stands below them with all that has been typed.
    ///
    /// While nothing is being read, the text just goes to standard output. Ends it with a line end if it
    /// has none.
    package func printAbove(_ text: String) {
        guard !text.isEmpty else { return }
        let lines = text.hasSuffix("\n") ? text : text + "\n"
        switch activity {
        case .none:
            Terminal.write(lines)
        case .line:
            eraseInput(columns: Terminal.size().columns)
            Terminal.write(lines)
            editline.redraw()
        case .secret:
            eraseInput(columns: Terminal.size().columns)
            Terminal.write(lines + prompt.source)
        }
    }

    /// Writes lines below the input and the prompt below them.
    func printBelow(_ lines: [String]) {
        let layout = TextLayout(columns: Terminal.size().columns)
        let line = editline.line
        let rowsDown = layout.end(of: flow(line.text)).row - layout.end(of: flow(line.beforeCursor)).row
        let text = String(repeating: "\n", count: rowsDown + 1) + lines.map { $0 + "\n" }.joined()
        Terminal.write(text)
        editline.redraw()
    }

    /// Moves the cursor to where the prompt starts and clears the screen from there.
    private func eraseInput(columns: Int) {
        let shown: Substring
        if case .line = activity { shown = editline.line.beforeCursor } else { shown = "" }
        let row = TextLayout(columns: columns).end(of: flow(shown)).row
        let up = min(row, Terminal.size().rows - 1)
        Terminal.write(Sequence.up(up) + "\r" + Sequence.clearToEnd)
    }

    /// Prompt and text as they follow each other on the screen.
    private func flow(_ text: some StringProtocol) -> [Unicode.Scalar] {
        Array(prompt.visible.unicodeScalars) + Array(text.unicodeScalars)
    }

    // MARK: - What happens to the terminal

    /// Draws the line anew.
    ///
    /// Terminals wrap what they show to the new width, so the rows are counted in that.
    func terminalDidResize() {
        defer { events.didResize() }
        guard case .line = activity else { return }
        eraseInput(columns: Terminal.size().columns)
        editline.resize()
        editline.redraw()
        tellRows()
    }

    /// Goes on with what was being read when the process was stopped.
    func processDidContinue() {
        switch activity {
        case .none:
            events.didContinue()
        case .line:
            takeTerminal()
            Terminal.write(Sequence.pasteOn + freshRow)
            editline.resume()
        case .secret:
            takeTerminal()
            normalMode?.silent.apply()
            Terminal.write(freshRow + prompt.source)
        }
    }
}
