@_spi(Host) internal import AtriumKit

/// Keeps secrets out of what is stored and printed.
enum Redaction {
    /// The command as text, with the values of secret arguments replaced by `…`.
    ///
    /// Where the action is not known (a mistyped one), arguments that are called like a secret count as one.
    static func text(of command: Command, action: Action?, words skipped: Int) -> String {
        rewrite(command, action: action, skipped: skipped) { $0 + ["…"] }
    }

    private static let secretWords = ["password", "secret", "token"]

    /// Whether a line that can't be read as commands may hold a secret.
    static func mayHoldSecret(_ line: String) -> Bool {
        let lowercased = line.lowercased()
        return secretWords.contains { lowercased.contains($0) }
    }

    /// A line that can't be read as commands, or `…` where it may hold a secret.
    static func unreadable(_ line: String) -> String {
        mayHoldSecret(line) ? "…" : line
    }

    /// The command as text, with everything in it.
    static func plain(_ command: Command) -> String {
        command.words.map { Quoting.quote($0.text) }.joined(separator: " ")
    }

    /// The command without its secret arguments, as the history keeps it.
    static func history(of command: Command, action: Action?, words skipped: Int) -> String {
        rewrite(command, action: action, skipped: skipped) { Array($0.dropLast()) }
    }

    private static func rewrite(
        _ command: Command, action: Action?, skipped: Int, _ secret: ([String]) -> [String]
    ) -> String {
        var result: [String] = []
        var hidesNext = false
        var positional = 0
        for (index, word) in command.words.enumerated() {
            if hidesNext {
                hidesNext = false
                if isReference(word.text) {
                    result.append(word.text)
                } else {
                    result = secret(result)
                }
            } else if index >= skipped, let (name, value) = option(word) {
                let isSecret = isSecret(name, of: action)
                if value != nil, isSecret, !isReference(value ?? "") {
                    result = secret(result + ["--" + name])
                } else {
                    result.append(Quoting.quote(word.text))
                    hidesNext = isSecret && value == nil
                }
            } else {
                let argument = index >= skipped ? positionalArgument(positional, of: action) : nil
                if index >= skipped { positional += 1 }
                if argument?.isSecret == true, !isReference(word.text) {
                    result = secret(result + ["--" + (argument?.name ?? "")])
                } else {
                    result.append(Quoting.quote(word.text))
                }
            }
        }
        return result.joined(separator: " ")
    }

    private static func option(_ word: Word) -> (name: String, value: String?)? {
        guard word.text.hasPrefix("--"), word.text.count > 2 else { return nil }
        let parts = word.text.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    private static func isSecret(_ name: String, of action: Action?) -> Bool {
        if let argument = action?.arguments.first(where: { $0.name == name }) { return argument.isSecret }
        return mayHoldSecret(name)
    }

    private static func positionalArgument(_ index: Int, of action: Action?) -> ArgumentDescription? {
        guard let action, index < action.arguments.count else { return nil }
        return action.arguments[index]
    }

    /// Whether a value only says where the secret is.
    private static func isReference(_ value: String) -> Bool {
        value.hasPrefix("@env:") || value.hasPrefix("@file:")
    }
}
