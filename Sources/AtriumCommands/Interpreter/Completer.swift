@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumNavigation
package import AtriumText

/// Completes words: commands, links, actions, argument names and choices.
///
/// Works on declarations: builds no screen and evaluates no guard.
@MainActor
package struct Completer {
    let interpreter: Interpreter

    package init(interpreter: Interpreter) {
        self.interpreter = interpreter
    }

    var scene: Scene { interpreter.scene }
    var host: ShellHost { interpreter.host }

    /// The candidates for the word that ends at `cursor`, in UTF-8 bytes from the start of the line.
    package func completions(of line: String, at cursor: Int) -> CompletionList {
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self)
        let (words, isFile) = Lexer.partialCommand(typed)
        guard let last = words.last else { return CompletionList(start: cursor, candidates: []) }
        if isFile {
            return CompletionList(start: last.start, candidates: paths(typing: last.text).map(\.quoted))
        }
        if last.references.count == 1 || last.text == "$", last.text.hasPrefix("$") {
            let references = interpreter.variables.references(typing: last.text)
            return CompletionList(
                start: last.start, candidates: references.filter { $0.text.hasPrefix(last.text) })
        }
        var seen: Set<String> = []
        var offered = proposals(after: Array(words.dropLast()), typing: last.text)
        offered += linkParts(typing: last.text, among: offered)
        let candidates = offered.filter {
            $0.text.hasPrefix(last.text) && seen.insert($0.text).inserted
        }.map(\.quoted)
        return CompletionList(start: last.start, candidates: candidates)
    }

    private func proposals(after words: [Word], typing text: String) -> [CompletionCandidate] {
        let command = Command(words: Array(PrefixedCommand.words(behind: words)))
        let words = interpreter.expandNames(command).words
        guard let first = words.first else { return firstWords }
        if (HostCommands.synonyms[first.text] ?? first.text) == HostCommands.help, !text.hasPrefix("-") {
            return helpTopics(after: words.dropFirst())
        }
        let commands = HostCommands(scene: scene, offersNames: true, typed: words.map(\.text)).actions
        let second = words.count == 1 ? secondWords(of: first.text, commands) : []
        if case .action(var action, let count) = interpreter.lookUp(words) {
            // The host's command with the current candidates of its arguments.
            if interpreter.hostCommand(words) != nil,
                let command = commands.first(where: { $0.name == action.name })
            {
                action = Declaration(command)
            }
            let link =
                interpreter.hostCommand(words) != nil ? nil : count == 2 ? first.text : scene.currentLink
            return second
                + arguments(of: action, after: words.dropFirst(count), typing: text, on: link)
        }
        guard second.isEmpty, words.count == 1, let link = try? Link(first.text),
            let screen = host.screens.screen(for: link)
        else { return second }
        return (interpreter.declared.actions(of: screen) ?? []).map {
            CompletionCandidate(text: $0.name, summary: $0.summary)
        }
    }

    private var firstWords: [CompletionCandidate] {
        let commands = HostCommands(scene: scene).actions.map { command in
            // For a command of two words, offer the first word, if no command has that name.
            CompletionCandidate(
                text: String(command.name.prefix { $0 != " " }),
                summary: command.name.contains(" ") ? nil : command.summary)
        }
        let links = scene.knownLinks.map { link in
            CompletionCandidate(
                text: link.suggestion, summary: link.summary, isFinal: !link.pattern.hasArguments)
        }
        let names =
            scene.aliases.sorted { $0.key < $1.key }.map {
                CompletionCandidate(text: $0.key, summary: "Alias of '\($0.value.text)'")
            }
            + host.moduleCommands.sorted { $0.key < $1.key }.map {
                CompletionCandidate(text: $0.key, summary: summary(of: $0.value))
            }
        return scene.declaredActions.map { CompletionCandidate(text: $0.name, summary: $0.summary) }
            + names + commands + links
    }

    /// The summary of a module's command if its screen is known, else the command that it stands for.
    private func summary(of line: String) -> String {
        guard let words = try? Lexer.commands(in: line).first?.words,
            case .action(let action, _) = interpreter.lookUp(words)
        else { return "'\(line)'" }
        return action.summary
    }

    private func helpTopics(after words: ArraySlice<Word>) -> [CompletionCandidate] {
        guard let first = words.first?.text else {
            return Help(scene: scene).topics.filter { !$0.contains(" ") }.map {
                CompletionCandidate(text: $0)
            }
        }
        guard words.count == 1 else { return [] }
        let screen = (try? Link(first)).flatMap { host.screens.screen(for: $0) }
        return secondWords(of: first, HostCommands(scene: scene).actions)
            + (screen.flatMap(interpreter.declared.actions) ?? []).map {
                CompletionCandidate(text: $0.name, summary: $0.summary)
            }
    }

    private func secondWords(of first: String, _ commands: [Action]) -> [CompletionCandidate] {
        commands.compactMap { command in
            let parts = command.name.split(separator: " ")
            guard parts.count == 2, parts[0] == first else { return nil }
            return CompletionCandidate(text: String(parts[1]), summary: command.summary)
        }
    }

    private func arguments(
        of action: Declaration, after words: ArraySlice<Word>, typing text: String, on link: String?
    ) -> [CompletionCandidate] {
        if text.hasPrefix("--"), let equals = text.firstIndex(of: "="),
            let argument = action.arguments.first(where: { "--" + $0.name == text[..<equals] })
        {
            let value = String(text[text.index(after: equals)...])
            return values(of: argument, in: action, typing: value, on: link).map {
                CompletionCandidate(text: text[...equals] + $0.text, summary: $0.summary, isFinal: $0.isFinal)
            }
        }
        if let last = words.last, last.isOption,
            let argument = action.arguments.first(where: { "--" + $0.name == last.text })
        {
            return values(of: argument, in: action, typing: text, on: link)
        }
        var given: Set<String> = []
        var valuesGiven = 0
        var skipsNext = false
        for word in words {
            if word.isOption {
                let name = String(word.text.dropFirst(2).prefix { $0 != "=" })
                given.insert(name)
                let argument = action.arguments.first { $0.name == name }
                skipsNext = !word.text.contains("=") && argument?.choices != Bool.argumentChoices
            } else if skipsNext {
                skipsNext = false
            } else {
                valuesGiven += 1
            }
        }
        // Never complete --yes.
        let open = action.arguments.filter { argument in
            !given.contains(argument.name) && argument != Action.yes.description
        }
        let names = open.map {
            CompletionCandidate(text: "--" + $0.name, summary: $0.summary.isEmpty ? $0.typeName : $0.summary)
        }
        if text.hasPrefix("-") {
            // Offered only once it is being typed, as every command has it.
            let help = CompletionCandidate(text: "--help", summary: "Explain it")
            return names + (text.hasPrefix("--h") ? [help] : [])
        }
        // A list takes all remaining values.
        let skipped = min(valuesGiven, open.firstIndex { $0.isList } ?? valuesGiven)
        let next = open.dropFirst(skipped).first { !$0.isSwitch }
        let offered = next.map { values(of: $0, in: action, typing: text, on: link) } ?? []
        return offered + (text.isEmpty ? names.dropFirst(valuesGiven) : [])
    }
}

extension CompletionCandidate {
    fileprivate var quoted: CompletionCandidate {
        // `~` and `@env:` keep their meaning in quotes.
        CompletionCandidate(text: Quoting.quote(text), summary: summary, isFinal: isFinal)
    }
}
