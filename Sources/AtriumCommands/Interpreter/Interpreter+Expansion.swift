@_spi(Host) internal import AtriumKit
package import AtriumLanguage
internal import AtriumManifest
internal import AtriumModules

/// The words that a name at the beginning of a command stands for.
package struct Alias {
    let words: [Word]
    /// Without secrets.
    let text: String

    package init(words: [Word], text: String) {
        (self.words, self.text) = (words, text)
    }
}

/// Names at the start of a command that stand for other words: aliases, and commands declared by modules.
extension Interpreter {
    /// The command with its first word replaced by the words that it stands for.
    package func expandNames(_ command: Command) -> Command {
        guard let first = command.words.first, !first.isQuoted else { return command }
        var command = command
        if let prefixed = prefixed(command), case .assignment = prefixed.kind {
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
        guard hostCommand([word]) == nil, let line = host.moduleCommand(word.text), !isAction(word.text),
            let command = try? Lexer.commands(in: line).first
        else { return nil }
        if let link = try? Link(word.text), scene.knownLinks.contains(where: { $0.pattern.matches(link) }) {
            return nil
        }
        return command.words
    }
}

extension ShellHost {
    /// The commands that modules declare, by name; of two with the same name, the first module's.
    var moduleCommands: [String: String] {
        Dictionary(declaredCommands.map { ($0.name, $0.line) }) { first, _ in first }
    }

    func moduleCommand(_ name: String) -> String? { declaredCommands.first { $0.name == name }?.line }

    private var declaredCommands: some Sequence<CommandDeclaration> {
        runtime.modules.lazy.filter { $0.state.isActive || $0.isOnDemand }.flatMap {
            $0.manifest?.commands ?? []
        }
    }
}
