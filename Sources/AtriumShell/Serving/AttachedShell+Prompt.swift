internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLineEditor
internal import AtriumRuntime
internal import AtriumText
internal import Dispatch
internal import Glibc

/// A user at the prompt of a scene in another process.
extension AttachedShell {
    func runInteractively() async throws -> ExitStatus {
        let editor = try LineEditor(historyFile: historyFile, report: { Report.warning($0) }) {
            [weak self] line, cursor in self?.completions(of: line, at: cursor) ?? .none(at: cursor)
        }
        self.editor = editor
        defer { editor.close() }
        var promptRows = 1
        editor.didResize = { [weak self] in self?.resize(promptRows) }
        editor.didContinue = { [weak self] in
            self?.keyboard.turnOffAgain()
            self?.resize(promptRows, redraws: true)
        }
        editor.rowsDidChange = { [weak self] rows in
            guard rows != promptRows else { return }
            promptRows = rows
            self?.resize(rows)
        }
        let interrupts = InterruptSource { [foreground] in foreground.interrupt() }
        defer { interrupts.stop() }
        greet()
        Supervisor.ready()
        if let startup = LineRunner.startupCommand(beside: historyFile),
            try await perform(startup.words.map { Quoting.quote($0.text) }.joined(separator: " "))
        {
            return exitStatus
        }
        while true {
            foreground.expectLine()
            switch await editor.readCommand(prompt: prompt) {
            case .endOfInput:
                if let endReason { throw ShellError.hostGone(endReason) }
                await leave()
                return .done
            case .tooLong: Report.warning(ShellError.tooLong("The line"))
            case .interrupted: if try await perform("", isInterrupt: true) { return .done }
            case .line(let line): if try await perform(line) { return exitStatus }
            }
        }
    }

    /// Ends the scene; the connection may then end without a warning.
    private func leave() async {
        client.didEnd = {}
        _ = try? await client.request("close")
    }

    private func greet() {
        let width = Terminal.size().columns
        write(TextWidth.wrapped(greeting, to: width).map { $0 + "\n" }.joined(), to: "output")
    }

    private func completions(of line: String, at cursor: Int) -> CompletionList {
        // The host does not know this process's environment.
        if let list = environmentVariables(typing: String(decoding: line.utf8.prefix(cursor), as: UTF8.self))
        {
            return list
        }
        let parameters: JSONObject = ["line": .string(line), "cursor": .integer(Int64(cursor))]
        let answer = client.wait(for: "complete", parameters, timeout: .seconds(1))
        guard let answer, let start = answer.number("start") else { return .none(at: cursor) }
        return CompletionList(
            start: min(max(0, start), cursor),
            candidates: answer["candidates"].items.map {
                CompletionCandidate(
                    text: $0.text("text") ?? "", summary: $0.text("summary"), isFinal: $0.flag("final"))
            })
    }

    private func environmentVariables(typing text: String) -> CompletionList? {
        guard let word = text.split(whereSeparator: \.isWhitespace).last, text.hasSuffix(word),
            let start = word.firstRange(of: "@env:")?.lowerBound
        else { return nil }
        let typed = word[start...]
        return CompletionList(
            start: text.utf8.count - typed.utf8.count,
            candidates: Completer.environmentVariables.filter { $0.text.hasPrefix(typed) })
    }

    private func resize(_ promptRows: Int, redraws: Bool = false) {
        guard let size = options.size ?? Terminal.size(of: HostOutput.standardOutput) else { return }
        client.notify(
            "resize",
            [
                "columns": .integer(Int64(size.columns)), "rows": .integer(Int64(size.rows)),
                "promptRows": .integer(Int64(promptRows)), "redraw": .bool(redraws),
            ])
    }

    /// Runs a typed line, and returns whether the user left.
    private func perform(_ line: String, isInterrupt: Bool = false) async throws -> Bool {
        try await hostReturns()
        let client = client
        foreground.start {
            Task { @MainActor in client.cancel() }
        } abandon: {
            Task { @MainActor in client.notify("cancel", ["abandon": true]) }
        }
        if !isInterrupt { recorder?.type(line) }
        do {
            defer { foreground.end() }
            let result = try await client.request(
                isInterrupt ? "interrupt" : "run", isInterrupt ? [:] : ["line": .string(line)])
            keyboard.turnOn()
            prompt = result.text("prompt") ?? prompt
            recorder?.didRun(ends: result.flag("ends"))
            if isInterrupt, !result.flag("answered") { return false }
            write("\n", to: "output")
            if result.number("status") == Int(ExitStatus.cancelled.rawValue) { editor?.discardTypeAhead() }
            if result.flag("ends") {
                exitStatus = ExitStatus(result)
                await leave()
            }
            return result.flag("ends")
        } catch let error as RPCError {
            Report.warning(ShellError(error))
            return false
        } catch let error as ShellError where error.isEndOfHost {
            if endReason != nil { throw error }
            Report.warning(error)
            try await hostReturns()
            return false
        }
    }

    // MARK: - The end of the host

    /// The time limit for a crashed host to return.
    private static let patience = Duration.seconds(30)

    /// Handles the end of the connection: leaves if the host gave a reason, else waits until it returns.
    func hostDidEnd() {
        keyboard.turnOn()
        endReason = client.reason
        guard let editor else { return }
        guard endReason == nil else { return editor.leave() }
        // A picture may be on this line.
        if editor.isIdle { write("\n", to: "output") }
        say("The host has ended without a word. Waiting for it to come back; Ctrl-C leaves.")
        // Programs may take a while to exit.
        Task { [targets] in await targets.closeAll() }
        reconnection = Task { [weak self] in await self?.reconnect() ?? false }
    }

    /// Prints a line above the prompt, or after the present output while none is shown.
    private func say(_ line: String) {
        guard let editor, !editor.isIdle else { return Report.note(line) }
        editor.change(prompt: prompt)
        let wrapper = TextWrapper(width: Terminal.size().columns, indent: 2)
        editor.printAbove(wrapper.lines(of: line).joined(separator: "\n"))
    }

    private func say(warning: ShellError) {
        guard let editor, !editor.isIdle else { return Report.warning(warning) }
        editor.change(prompt: prompt)
        editor.printAbove(Report.text(ofWarning: warning))
    }

    /// Reattaches to the scene that was lost with the host.
    private func reconnect() async -> Bool {
        let end = ContinuousClock.now + Self.patience
        while .now < end, !Task.isCancelled {
            if let next = try? HostClient(to: folder) {
                client = next
                prepare(next)
                // A dying host may still accept.
                next.didEnd = {}
                if (try? await hello()) != nil, !next.hasEnded {
                    next.didEnd = { [weak self] in self?.hostDidEnd() }
                    reconnection = nil
                    if let crash { say(warning: crash) }
                    say("The host is back as process \(next.process); this is '\(link)'.")
                    return true
                }
                next.close()
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
        endReason = "The host has not come back."
        editor?.leave()
        return false
    }

    /// Waits for a crashed host, until Ctrl-C or the time limit.
    private func hostReturns() async throws {
        guard let reconnection else { return }
        foreground.start {
            reconnection.cancel()
        } abandon: {
            reconnection.cancel()
        }
        defer { foreground.end() }
        guard await reconnection.value else { throw ShellError.hostGone(endReason) }
    }
}

extension CompletionList {
    fileprivate static func none(at cursor: Int) -> CompletionList {
        CompletionList(start: cursor, candidates: [])
    }
}
