internal import AtriumText

extension LineEditor {
    private static let continuationPrompt = "… "

    /// `ESC [` with the given text, on a terminal that understands it.
    private static func sequence(_ text: String) -> String {
        Terminal.understandsSequences ? "\u{1b}[\(text)" : ""
    }

    func beginLine(_ prompt: String, with text: String = "") {
        self.prompt = prompt
        linePrompt = prompt
        search = nil
        buffer = LineBuffer(text)
        // Show the cursor, which stays hidden if a process was killed while showing a picture.
        Terminal.write(Self.sequence("?25h"))
        continueLine()
    }

    /// Changes the prompt of the line being typed; redrawn with the next line printed above it.
    package func change(prompt: String) {
        guard case .line = activity, search == nil, !isInOtherProgram, self.prompt == linePrompt else {
            return
        }
        self.prompt = prompt.printableLine
        linePrompt = self.prompt
        draw()
    }

    /// Shows the line being typed, on a new row.
    func continueLine() {
        takeTerminal()
        Terminal.write(Self.sequence("?2004h") + freshRow)
        isStopping = false
        display.forget()
        draw()
    }

    func endLine(_ text: String = "") {
        showEnd(of: text)
        Terminal.write(Self.sequence("?2004l"))
        leaveTerminal()
    }

    func beginSecret(_ prompt: String) {
        self.prompt = prompt
        takeTerminal()
        Terminal.write(freshRow + prompt)
    }

    func endSecret() {
        Terminal.write("\n")
        leaveTerminal()
    }

    /// Begins the editing mode, and saves the mode to restore, also in case the process is stopped or ended.
    private func takeTerminal() {
        // After a SIGSTOP the terminal may still be in the editing mode.
        if let mode = TerminalMode.current(), mode.isNormal { normalMode = mode }
        normalMode?.guardOnExit()
        normalMode?.silent.apply()
    }

    private func leaveTerminal() {
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

    // MARK: - Drawing

    /// Draws what changed, then beeps if a key did nothing.
    func draw() {
        let size = Terminal.size()
        let beep = beeps ? "\u{7}" : ""
        beeps = false
        guard Terminal.understandsSequences else {
            return Terminal.write(LineDisplay.row(prompt, buffer, columns: size.columns) + beep)
        }
        Terminal.write(display.draw(layout(size), in: size) + beep)
    }

    func beep() { beeps = true }

    /// The rows of the prompt and the line; of a line that fills several screens, those around the cursor.
    private func layout(_ size: TerminalSize) -> LineLayout {
        let screen = size.columns * size.rows
        let start = buffer.characters.count > 4 * screen ? max(buffer.cursor / screen - 1, 0) * screen : 0
        return LineLayout(
            prompt: start > 0 ? "" : prompt, buffer.characters[start...].prefix(4 * screen),
            cursor: buffer.cursor, continuation: Self.continuationPrompt, columns: size.columns)
    }

    /// Reports the number of rows of the prompt and the typed text.
    func tellRows() {
        switch activity {
        case .line: rowsDidChange(display.rowCount)
        case .none: rowsDidChange(LineLayout(prompt: prompt, columns: Terminal.size().columns).rows.count)
        case .secret: break
        }
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
            draw()
        case .secret:
            eraseInput()
            Terminal.write(lines + prompt)
        }
    }

    func printBelow(_ lines: [String]) {
        showEnd()
        Terminal.write(lines.map { $0 + "\n" }.joined())
    }

    /// Draws the end of the line, and moves the cursor to a new row.
    func showEnd(of text: String = "") {
        let shown = buffer
        buffer.moveToEnd()
        draw()
        buffer = shown
        display.forget()
        Terminal.write(text + "\r\n")
    }

    func clearScreen() {
        Terminal.write(Self.sequence("H") + Self.sequence("2J"))
        display.forget()
    }

    private func eraseInput() {
        let size = Terminal.size()
        guard Terminal.understandsSequences else { return Terminal.write("\r\n") }
        if case .line = activity {
            Terminal.write(display.erase(size))
        } else {
            let up = min(LineLayout(prompt: prompt, columns: size.columns).cursor.row, size.rows - 1)
            Terminal.write((up > 0 ? Self.sequence("\(up)A") : "") + "\r" + Self.sequence("J"))
        }
    }

    func terminalDidResize() {
        defer { didResize() }
        guard case .line = activity, !isInOtherProgram else { return }
        eraseInput()
        draw()
        tellRows()
    }

    func processDidContinue() {
        switch activity {
        case .none: didContinue()
        case .line: if !isInOtherProgram { continueLine() }
        case .secret: beginSecret(prompt)
        }
    }
}
