internal import AtriumCommands
@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation
internal import AtriumSession
internal import AtriumText

// The calls of tools.

extension MCPSession {
    /// Runs a tool call; errors are also returned as results.
    func call(_ parameters: RPCParameters) async throws -> JSONObject {
        guard let name = parameters.text("name") else {
            throw RPCError.invalidParameters("'tools/call' needs 'name', a string.")
        }
        var arguments: [ManifestValue.Member] = []
        switch parameters["arguments"].json?.plain {
        case nil, .null: break
        case .object(let members): arguments = members
        default: throw RPCError.invalidParameters("'arguments' must be an object.")
        }
        let token = parameters["_meta"]["progressToken"].json.flatMap(RPCID.init)
        return try await calls.run {
            defer { notes = [] }
            let tools = catalog.tools
            guard let tool = tools.first(where: { $0.name == name }) else {
                let nearest = NearestName.of(name, among: tools.map(\.name)).map { " Did you mean '\($0)'?" }
                throw RPCError.invalidParameters(
                    "There is no tool '\(name.shortened)'." + (nearest ?? ""))
            }
            do {
                if !tool.hasMilderForm { try permission.check(tool.name, tool.effect) }
                return try await perform(tool, arguments, token)
            } catch let error as RPCError {
                throw error
            } catch {
                return result(of: .failed(ShellError.explain(error)))
            }
        }
    }

    private func perform(
        _ tool: Tool, _ arguments: [ManifestValue.Member], _ token: RPCID?
    ) async throws -> JSONObject {
        let call = try tool.call(arguments)
        switch call.target {
        case .answer(let answer): try check(answer)
        case .command(let action):
            try permission.check(tool.name, HostCommands.effect(of: action, call.values))
            try permission.check(command: action.name)
        case .screen: break
        }
        let progress = token.map { token in Task { await self.tellProgress(of: tool, token) } }
        defer { progress?.cancel() }
        var reply = try await session.call(call)
        while !reply.hasFailed, canAsk, let (question, answers) = openQuestion {
            let answer = try await choose(question, from: answers)
            let target = answer.map(Call.Target.answer) ?? .command(HostCommands(scene: scene).back)
            reply = try await session.call(Call(tool: tool.name, target: target))
        }
        currentScreenMayHaveChanged()
        return result(of: reply.deferred.map { Reply.Outcome.failed($0) } ?? reply.outcome)
    }

    // MARK: - Questions

    /// The question on top of the stack, if any.
    private var openQuestion: (String, [(name: String, summary: String)])? {
        guard scene.coordinator.currentEntry?.isOfHost == true,
            let view = try? scene.coordinator.currentScreen()?.view
        else { return nil }
        let texts: [String] = view.body.blocks.compactMap { block in
            switch block {
            case .title(let text), .text(let text): text
            default: nil
            }
        }
        return (texts.joined(separator: "\n"), view.actions.map { ($0.name, $0.summary) })
    }

    private func check(_ answer: String) throws {
        guard let (question, answers) = openQuestion else {
            throw ShellError("noQuestion", "No question is open.", hint: "host_where")
        }
        let names = answers.map(\.name)
        guard !names.contains(answer) else { return }
        throw ArgumentError(
            .invalidArgument, "The question '\(question)' has no such answer.",
            hint: "Answer \(names.joined(separator: " or ")).")
    }

    // MARK: - Results

    /// The outcome of a command: as text, and as the result in a line of `--json`.
    private func result(of outcome: Reply.Outcome) -> JSONObject {
        switch outcome {
        case .done(let output):
            // So wide that nothing is cut.
            let text = output.text(TextRenderer(width: 10_000))
            var content: [JSONValue] = [["type": "text", "text": .string(text.isEmpty ? "Done." : text)]]
            if !notes.isEmpty {
                content.append(["type": "text", "text": .string(notes.joined(separator: "\n").printable)])
            }
            return [
                "content": .array(content), "structuredContent": .object(output.json), "isError": false,
            ]
        case .failed(let error):
            let details = (error as? any DetailedError)?.details.map {
                TextRenderer(width: 10_000).render($0)
            }
            let lines = [details, "error: \(error.message)", error.hint.map { "hint: \($0)" }] + notes
            let text = lines.compactMap { $0 }.joined(separator: "\n").printable
            return [
                "content": [["type": "text", "text": .string(text)]],
                "structuredContent": ["error": .object(error.json)], "isError": true,
            ]
        }
    }

    // MARK: - Progress

    private static let progressInterval = Duration.milliseconds(100)
    /// The progress intervals between heartbeats of a call that does not report its progress.
    private static let heartbeat = 10

    private func tellProgress(of tool: Tool, _ token: RPCID) async {
        var last = -1.0
        var beats = 0
        // May be cancelled although the sleep succeeded; a call that has ended reports nothing.
        while (try? await Task.sleep(for: Self.progressInterval)) != nil, !Task.isCancelled {
            beats += 1
            let progress = scene.display.progress()
            var parameters: JSONObject = ["progressToken": token.json]
            if let progress, let completed = progress.completed {
                guard Double(completed) > last else { continue }
                last = Double(completed)
                if let total = progress.total { parameters["total"] = .integer(Int64(total)) }
            } else {
                guard beats.isMultiple(of: Self.heartbeat), last < 0 || last == last.rounded() else {
                    continue
                }
                last += 1
            }
            parameters["progress"] = .number(last)
            parameters["message"] = .string(progress?.text ?? tool.declaration.summary)
            notify("progress", parameters)
        }
    }
}
