@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumRuntime

/// What a name stands for at the beginning of a command.
struct Alias {
    let words: [Word]
    /// Without secrets.
    let text: String
}

/// Names at the beginning of a command that stand for other words: aliases, and the commands that modules declare.
extension Interpreter {
    /// The command with the words that its first word stands for.
    func expandNames(_ command: Command) -> Command {
        guard let first = command.words.first, !first.isQuoted else { return command }
        var command = command
        if case .assignment = prefixed(command)?.kind, let prefixed = prefixed(command) {
            command.words = prefixed.prefix + expandNames(prefixed.command).words
            return command
        }
        var used: Set<String> = []
        while let first = command.words.first, !first.isQuoted, let alias = scene.aliases[first.text],
            used.insert(first.text).inserted
        {
            command.words.replaceSubrange(0..<1, with: alias.words)
        }
        if let first = command.words.first, !first.isQuoted, let words = moduleCommand(first) {
            command.words.replaceSubrange(0..<1, with: words)
        }
        return command
    }

    /// The words that a command of a module's manifest stands for: `session sign-in` for `sign-in`.
    ///
    /// Commands of the host, actions of the current screen and links come first.
    private func moduleCommand(_ word: Word) -> [Word]? {
        guard hostCommand([word]) == nil, let line = host.moduleCommands[word.text], !isAction(word.text),
            let command = try? Lexer.commands(in: line).first
        else { return nil }
        if let link = try? Link(word.text), scene.knownLinks.contains(where: { $0.pattern.matches(link) }) {
            return nil
        }
        return command.words
    }
}

extension ShellHost {
    /// The commands that modules declare, by name; of two modules with one name, the first in the list of modules.
    var moduleCommands: [String: String] {
        var lines: [String: String] = [:]
        for module in runtime.modules where module.state.isActive || module.isOnDemand {
            for command in module.manifest?.commands ?? [] where lines[command.name] == nil {
                lines[command.name] = command.line
            }
        }
        return lines
    }
}
