internal import AtriumText
internal import CEditline

extension LineEditor {
    /// `ESC [` with the given text, on a terminal that understands it.
    private static func sequence(_ text: String) -> String {
        Terminal.understandsSequences ? "\u{1b}[\(text)" : ""
    }

    func beginLine(_ prompt: String) {
        self.prompt = prompt
        linePrompt = prompt
        search = nil
        takeTerminal()
        // Show the cursor, which stays hidden if a process was killed while showing a picture.
        Terminal.write(Self.sequence("?25h") + Self.sequence("?2004h") + freshRow)
        ceditline_begin(prompt)
    }

    /// Changes the prompt of the line being typed; redrawn with the next line printed above it.
    package func change(prompt: String) {
        guard case .line = activity, search == nil, !isInOtherProgram, self.prompt == linePrompt else {
            return
        }
        eraseInput()
        self.prompt = prompt.printableLine
        linePrompt = self.prompt
        ceditline_set_prompt(self.prompt)
        ceditline_redraw()
    }

    /// Shows the line being typed again, after another program had the terminal.
    func continueLine() {
        takeTerminal()
        Terminal.write(Self.sequence("?2004h") + freshRow)
        ceditline_resume()
    }

    func endLine() {
        ceditline_end()
        Terminal.write(Self.sequence("?2004l"))
        leaveTerminal()
    }

    func beginSecret(_ prompt: String) {
        self.prompt = prompt
        takeTerminal()
        normalMode?.silent.apply()
        Terminal.write(freshRow + prompt)
    }

    func endSecret() {
        Terminal.write("\n")
        leaveTerminal()
    }

    /// Saves the mode to restore, also in case the process is stopped or ended.
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

    /// Moves the cursor to the start of an empty row, so that rows can be counted.
    ///
    /// A row of blanks wraps if the previous output has no line end, and stays within its row if it has one.
    private var freshRow: String {
        guard Terminal.understandsSequences else { return "" }
        return String(repeating: " ", count: Terminal.size().columns) + "\r" + Self.sequence("J")
    }

    /// True if the line fills the screen several times.
    var isLongerThanScreen: Bool {
        let size = Terminal.size()
        return EditedLine.length > 4 * size.columns * size.rows
    }

    /// Reports the number of rows of the prompt and the typed text.
    func tellRows() {
        let text: String
        let size = Terminal.size()
        switch activity {
        // Laying out a long line would cost more than reading it.
        case .line where isLongerThanScreen: return rowsDidChange(size.rows)
        case .line: text = EditedLine.current.text
        case .none: text = ""
        case .secret: return
        }
        rowsDidChange(TextLayout(columns: size.columns).end(of: flow(text)).row + 1)
    }

    /// Prints lines above the prompt and the typed text; without a prompt, just prints.
    package func printAbove(_ text: String) {
        guard !text.isEmpty, !waits(with: text) else { return }
        let lines = text.hasSuffix("\n") ? text : text + "\n"
        switch activity {
        case .none: Terminal.write(lines)
        case .line:
            eraseInput()
            Terminal.write(lines)
            ceditline_redraw()
        case .secret:
            eraseInput()
            Terminal.write(lines + prompt)
        }
    }

    func printBelow(_ lines: [String]) {
        let layout = TextLayout(columns: Terminal.size().columns)
        let line = EditedLine.current
        let rowsDown = layout.end(of: flow(line.text)).row - layout.end(of: flow(line.beforeCursor)).row
        let text = String(repeating: "\n", count: rowsDown + 1) + lines.map { $0 + "\n" }.joined()
        Terminal.write(text)
        ceditline_redraw()
    }

    private func eraseInput() {
        let shown: Substring = if case .line = activity { EditedLine.current.beforeCursor } else { "" }
        let size = Terminal.size()
        let up = min(TextLayout(columns: size.columns).end(of: flow(shown)).row, size.rows - 1)
        Terminal.write((up > 0 ? Self.sequence("\(up)A") : "") + "\r" + Self.sequence("J"))
    }

    private func flow(_ text: some StringProtocol) -> [Unicode.Scalar] {
        Array(prompt.unicodeScalars) + Array(text.unicodeScalars)
    }

    /// Redraws the line; rows are counted at the new width, to which terminals rewrap their content.
    func terminalDidResize() {
        defer { didResize() }
        guard case .line = activity, !isInOtherProgram else { return }
        eraseInput()
        ceditline_resize()
        ceditline_redraw()
        tellRows()
    }

    func processDidContinue() {
        switch activity {
        case .none: didContinue()
        case .line:
            if !isInOtherProgram { continueLine() }
        case .secret: beginSecret(prompt)
        }
    }
}
