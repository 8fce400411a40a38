@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// Completes what is being typed: commands, links, actions, argument names and choices.
///
/// Works on declarations: builds no screen and asks no guard.
@MainActor
struct Completer {
    let interpreter: Interpreter

    private var host: ShellHost { interpreter.host }

    /// The candidates for the word that ends at `cursor`, in UTF-8 bytes from the start of the line.
    func completions(of line: String, at cursor: Int) -> CompletionList {
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
        let (words, _) = Lexer.partialCommand(typed)
        guard let last = words.last else { return CompletionList(start: cursor, candidates: []) }
        var seen: Set<String> = []
        let candidates = proposals(after: Array(words.dropLast()), typing: last.text)
            .filter { $0.text.hasPrefix(last.text) && seen.insert($0.text).inserted }
            .map {
                CompletionCandidate(text: Quoting.quote($0.text), summary: $0.summary, isFinal: $0.isFinal)
            }
        return CompletionList(start: last.start, candidates: candidates)
    }

    /// A candidate before quoting.
    private struct Proposal {
        let text: String
        var summary: String?
        var isFinal = true
    }

    private func proposals(after words: [Word], typing text: String) -> [Proposal] {
        guard let first = words.first else { return firstWords }
        let commands = HostCommands(host: host, offersNames: true).actions
        let second = words.count == 1 ? secondWords(of: first.text, commands) : []
        if case .action(var action, let count) = interpreter.lookUp(words) {
            // The host's command with what its arguments offer now.
            if interpreter.hostCommand(words) != nil,
                let command = commands.first(where: { $0.name == action.name })
            {
                action = Declaration(command)
            }
            return second + arguments(of: action, after: words.dropFirst(count), typing: text)
        }
        guard second.isEmpty, words.count == 1, let link = try? Link(first.text),
            let screen = host.screens.screen(for: link)
        else { return second }
        return (interpreter.declared.actions(of: screen) ?? []).map {
            Proposal(text: $0.name, summary: $0.summary)
        }
    }

    /// Actions of the current screen, commands and links.
    private var firstWords: [Proposal] {
        let commands = HostCommands(host: host).actions.map { command in
            // Of a command of two words the first stands for itself if no command has its name.
            Proposal(
                text: String(command.name.prefix { $0 != " " }),
                summary: command.name.contains(" ") ? nil : command.summary)
        }
        let links = host.knownLinks.map { link in
            Proposal(text: link.suggestion, summary: link.summary, isFinal: !link.pattern.hasArguments)
        }
        return interpreter.declared.current.map { Proposal(text: $0.name, summary: $0.summary) } + commands
            + links
    }

    /// The second words of the host's commands that begin with a word.
    private func secondWords(of first: String, _ commands: [Action]) -> [Proposal] {
        commands.compactMap { command in
            let parts = command.name.split(separator: " ")
            guard parts.count == 2, parts[0] == first else { return nil }
            return Proposal(text: String(parts[1]), summary: command.summary)
        }
    }

    private func arguments(
        of action: Declaration, after words: ArraySlice<Word>, typing text: String
    ) -> [Proposal] {
        if let last = words.last?.text, last.hasPrefix("--"), !last.contains("="),
            let argument = action.arguments.first(where: { "--" + $0.name == last })
        {
            return values(of: argument)
        }
        let given = words.compactMap { word in
            word.text.hasPrefix("--")
                ? word.text.dropFirst(2).split(separator: "=", maxSplits: 1).first.map(String.init) : nil
        }
        // What is asked before something is destroyed is never answered by completion.
        let open = action.arguments.filter { argument in
            !given.contains(argument.name) && !(action.asksFirst && argument.name == "yes")
        }
        let names = open.map {
            Proposal(text: "--" + $0.name, summary: $0.summary.isEmpty ? $0.typeName : $0.summary)
        }
        if text.hasPrefix("-") { return names }
        let valuesGiven = positionalCount(words, action)
        let next = open.dropFirst(valuesGiven).first { !$0.isSwitch }
        return (next.map(values) ?? []) + (text.isEmpty ? names.dropFirst(valuesGiven) : [])
    }

    private func positionalCount(_ words: ArraySlice<Word>, _ action: Declaration) -> Int {
        var count = 0
        var skipsNext = false
        for word in words {
            if skipsNext {
                skipsNext = false
            } else if word.text.hasPrefix("--") {
                let argument = action.arguments.first { "--" + $0.name == word.text }
                skipsNext = !word.text.contains("=") && argument?.choices != Bool.argumentChoices
            } else {
                count += 1
            }
        }
        return count
    }

    private func values(of argument: ArgumentDescription) -> [Proposal] {
        let values = argument.choices.isEmpty ? argument.suggestions : argument.choices
        return values.map { Proposal(text: $0, isFinal: !$0.hasSuffix("/")) }
    }
}
