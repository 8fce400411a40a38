internal import CEditline

extension LineEditor {
    private enum Sequence {
        static let pasteOn = make("?2004h")
        static let pasteOff = make("?2004l")
        static let clearToEnd = make("J")

        static func up(_ rows: Int) -> String { rows > 0 ? make("\(rows)A") : "" }

        private static func make(_ text: String) -> String {
            Terminal.understandsSequences ? "\u{1b}[\(text)" : ""
        }
    }

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

    /// Saves the mode to restore, also if the process is stopped or ended.
    private func takeTerminal() {
        // After a SIGSTOP the terminal may still be in an editing mode.
        if let mode = TerminalMode.current(), mode.isNormal { normalMode = mode }
        normalMode?.guardOnExit()
    }

    private func leaveTerminal() {
        // Not libedit's normal mode, which forces some flags.
        normalMode?.apply()
        TerminalMode.endGuard()
    }

    /// Puts the cursor at the start of an empty row, so that rows can be counted.
    ///
    /// A row of blanks wraps if the output before has no line end, and stays within its row if it has.
    private var freshRow: String {
        guard Terminal.understandsSequences else { return "" }
        return String(repeating: " ", count: Terminal.size().columns) + "\r" + Sequence.clearToEnd
    }

    /// Reports how many rows the prompt takes with what has been typed.
    func tellRows() {
        let text: String
        switch activity {
        case .line: text = editline.line.text
        case .none: text = ""
        case .secret: return
        }
        events.rowsDidChange(TextLayout(columns: Terminal.size().columns).end(of: flow(text)).row + 1)
    }

    /// Prints lines above the prompt and what has been typed; without a prompt, just prints.
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

    func printBelow(_ lines: [String]) {
        let layout = TextLayout(columns: Terminal.size().columns)
        let line = editline.line
        let rowsDown = layout.end(of: flow(line.text)).row - layout.end(of: flow(line.beforeCursor)).row
        let text = String(repeating: "\n", count: rowsDown + 1) + lines.map { $0 + "\n" }.joined()
        Terminal.write(text)
        editline.redraw()
    }

    /// Clears the screen from the start of the prompt.
    private func eraseInput(columns: Int) {
        let shown: Substring
        if case .line = activity { shown = editline.line.beforeCursor } else { shown = "" }
        let row = TextLayout(columns: columns).end(of: flow(shown)).row
        let up = min(row, Terminal.size().rows - 1)
        Terminal.write(Sequence.up(up) + "\r" + Sequence.clearToEnd)
    }

    private func flow(_ text: some StringProtocol) -> [Unicode.Scalar] {
        Array(prompt.visible.unicodeScalars) + Array(text.unicodeScalars)
    }

    /// Redraws the line; rows are counted in the new width, to which terminals wrap what they show.
    func terminalDidResize() {
        defer { events.didResize() }
        guard case .line = activity else { return }
        eraseInput(columns: Terminal.size().columns)
        editline.resize()
        editline.redraw()
        tellRows()
    }

    /// Resumes reading after the process was stopped.
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
