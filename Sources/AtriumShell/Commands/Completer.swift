@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

/// Says how what is being typed can go on: commands, links, actions, argument names and choices.
@MainActor
struct Completer {
    let interpreter: Interpreter

    private var host: ShellHost { interpreter.host }

    /// The candidates for the word that ends at `cursor`, in UTF-8 bytes from the start of the line.
    func completions(of line: String, at cursor: Int) -> CompletionList {
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
        let (words, _) = Lexer.partialCommand(typed)
        guard let last = words.last else { return CompletionList(start: cursor, candidates: []) }
        let candidates = candidates(before: Array(words.dropLast()), typing: last.text)
            .filter { $0.text.hasPrefix(last.text) }
            .map {
                CompletionCandidate(text: Quoting.quote($0.text), summary: $0.summary, isFinal: $0.isFinal)
            }
        return CompletionList(start: last.start, candidates: candidates)
    }

    /// A way to go on, before quoting.
    private struct Proposal {
        let text: String
        var summary: String?
        var isFinal = true
    }

    private func candidates(before words: [Word], typing text: String) -> [Proposal] {
        guard let first = words.first else { return firstWords }
        let command = Command(words: words)
        let second = subcommands(of: words)
        if let target = try? interpreter.resolve(command), let known = target.action {
            let action = target.isHost ? offering(known) : known
            return second
                + arguments(of: action, after: words.dropFirst(target.skippedWords), typing: text)
        }
        if !second.isEmpty { return second }
        guard words.count == 1, let link = try? Link(first.text),
            let visit = try? host.coordinator.detached().prepare(link)
        else { return [] }
        return visit.screen.view.actions.map { Proposal(text: $0.name, summary: $0.summary) }
    }

    /// The host's command with what can be proposed for its arguments now.
    private func offering(_ command: Action) -> Action {
        HostCommands(host: host, offersNames: true).all.first { $0.name == command.name } ?? command
    }

    /// The second words of the host's commands of two words that begin with the one that was typed.
    private func subcommands(of words: [Word]) -> [Proposal] {
        guard words.count == 1 else { return [] }
        return HostCommands(host: host).all.compactMap { command in
            let parts = command.name.split(separator: " ")
            guard parts.count == 2, parts[0] == words[0].text else { return nil }
            return Proposal(text: String(parts[1]), summary: command.summary)
        }
    }

    private var firstWords: [Proposal] {
        let current = (try? host.coordinator.currentScreen())?.view.actions ?? []
        let commands = HostCommands(host: host).all
        let words = commands.map { command in
            // Of a command of two words the first stands for itself where no command is called so.
            Proposal(
                text: String(command.name.prefix { $0 != " " }),
                summary: command.name.contains(" ") ? nil : command.summary)
        }
        let links = host.knownLinks.map { link in
            Proposal(text: link.suggestion, summary: link.summary, isFinal: !link.pattern.hasArguments)
        }
        let proposals = current.map { Proposal(text: $0.name, summary: $0.summary) } + words + links
        var seen: Set<String> = []
        return proposals.filter { seen.insert($0.text).inserted }
    }

    private func arguments(
        of action: Action, after words: ArraySlice<Word>, typing text: String
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
        let open = action.arguments.filter { !given.contains($0.name) }
        let names = open.map {
            Proposal(text: "--" + $0.name, summary: $0.summary.isEmpty ? $0.typeName : $0.summary)
        }
        if text.hasPrefix("-") { return names }
        let valuesGiven = positionalCount(words, action)
        let next = open.dropFirst(valuesGiven).first { !$0.isSwitch }
        return (next.map(values) ?? []) + (text.isEmpty ? names.dropFirst(valuesGiven) : [])
    }

    /// Whether a name may stand alone, for yes.
    private func isSwitch(_ option: String, _ action: Action) -> Bool {
        action.arguments.first { "--" + $0.name == option }?.choices == Bool.argumentChoices
    }

    private func positionalCount(_ words: ArraySlice<Word>, _ action: Action) -> Int {
        var count = 0
        var skipsNext = false
        for word in words {
            if skipsNext {
                skipsNext = false
            } else if word.text.hasPrefix("--") {
                skipsNext = !word.text.contains("=") && !isSwitch(word.text, action)
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
