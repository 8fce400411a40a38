@_spi(Host) internal import AtriumKit

/// Keeps secrets out of what is stored and printed.
enum Redaction {
    /// The command as text, with the values of secret arguments replaced by `…`.
    ///
    /// Where the action is not known (a mistyped one), arguments that are called like a secret count as one.
    static func text(of command: Command, action: Action?, words skipped: Int) -> String {
        rewrite(command, action, skipped, marksSecrets: true)
    }

    /// The command without its secret arguments, as the history keeps it.
    static func history(of command: Command, action: Action?, words skipped: Int) -> String {
        rewrite(command, action, skipped, marksSecrets: false)
    }

    /// The command as text, with everything in it.
    static func plain(_ command: Command) -> String {
        command.words.map(Quoting.quote).joined(separator: " ")
    }

    /// Whether a line that can't be read as commands may hold a secret.
    static func mayHoldSecret(_ line: String) -> Bool { SecretName.matches(line) }

    /// The first word of a line that is not understood and may hold a secret anywhere.
    static func firstWord(of line: String) -> String {
        let words = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        return words.count > 1 ? "\(Link.shown(String(words[0]))) …" : "…"
    }

    private static func rewrite(
        _ command: Command, _ action: Action?, _ skipped: Int, marksSecrets: Bool
    ) -> String {
        var redactor = Redactor(action: action, marksSecrets: marksSecrets)
        // A link may have a secret in its query.
        let words = command.words.map(\.shown)
        redactor.read(words.dropFirst(skipped))
        let before = words.prefix(skipped).map(Quoting.quote)
        return (before + redactor.result).joined(separator: " ")
    }
}

/// Follows the ``ArgumentReader``, so that what that takes for a secret is one here too.
private struct Redactor {
    let action: Action?
    /// Whether `…` stands for a secret; else it is left out, and its name with it.
    let marksSecrets: Bool
    private(set) var result: [String] = []
    private var given: Set<String> = []
    /// Whether the reader refuses the command: any value may then have been meant as the secret.
    private var isRefused = false

    init(action: Action?, marksSecrets: Bool) {
        self.action = action
        self.marksSecrets = marksSecrets
    }

    mutating func read(_ words: ArraySlice<Word>) {
        var rest = words
        var onlyValues = false
        while let word = rest.popFirst() {
            if onlyValues || !word.isOption {
                readValue(word, namesSecret: !onlyValues)
            } else if word.text == "--" {
                onlyValues = true
                result.append(word.text)
            } else {
                readOption(word, &rest)
            }
        }
    }

    /// Whether the word behind a name is its value, as ``ArgumentReader`` sees it.
    private func isValue(_ word: Word, of name: String, _ isSecret: Bool) -> Bool {
        if isSwitch(name) { return Bool.argumentChoices.contains(word.text) }
        return !word.isOption || (isSecret && !isName(word))
    }

    /// Whether a name stands for yes where nothing follows it.
    private func isSwitch(_ name: String) -> Bool {
        action?.arguments.first { $0.name == name }?.choices == Bool.argumentChoices
    }

    private mutating func readOption(_ word: Word, _ rest: inout ArraySlice<Word>) {
        let parts = word.text.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let isSecret = isSecret(name)
        note(name)
        if parts.count > 1 {
            keep([word], unless: isSecret && !isReference(String(parts[1])), name)
        } else if let next = rest.first, isValue(next, of: name, isSecret) {
            rest.removeFirst()
            keep([word, next], unless: isSecret && !isReference(next.text), name)
        } else {
            // A name that the action does not have may be a secret that starts with dashes.
            keep([word], unless: isSecret && shownName(name) == nil, name)
        }
    }

    private mutating func readValue(_ word: Word, namesSecret: Bool) {
        let argument = isRefused ? nil : action?.arguments.first { !given.contains($0.name) }
        if let argument { given.insert(argument.name) } else { isRefused = true }
        let isSecret = argument?.isSecret ?? (action?.takesSecrets == true)
        keep([word], unless: isSecret && !isReference(word.text), namesSecret ? argument?.name : nil)
    }

    /// Writes words down, or that a secret stood there.
    private mutating func keep(_ words: [Word], unless isSecret: Bool, _ name: String?) {
        guard isSecret else {
            result += words.map(Quoting.quote)
            return
        }
        guard marksSecrets else { return }
        if let name = name.flatMap(shownName) { result.append(Quoting.quote("--" + name)) }
        result.append("…")
    }

    private mutating func note(_ name: String) {
        guard let action else { return }
        let isKnown = action.arguments.contains { $0.name == name }
        if !isKnown || !given.insert(name).inserted { isRefused = true }
    }

    private func isSecret(_ name: String) -> Bool {
        if let argument = action?.arguments.first(where: { $0.name == name }) { return argument.isSecret }
        return action?.takesSecrets == true || Redaction.mayHoldSecret(name)
            || NearestName.of(name, among: SecretName.words) != nil
    }

    /// The name of an option as it may be shown: one that is far from all names may be a secret itself.
    private func shownName(_ name: String) -> String? {
        guard let action else { return name }
        return action.shownName(name)
    }

    private func isName(_ word: Word) -> Bool {
        action?.arguments.contains { word.text == "--" + $0.name || word.text.hasPrefix("--\($0.name)=") }
            ?? false
    }

    /// Whether a value only says where the secret is.
    private func isReference(_ value: String) -> Bool {
        value.hasPrefix("@env:") || value.hasPrefix("@file:")
    }
}

extension Word {
    /// The word without what is secret in the link that it may be.
    fileprivate var shown: Word {
        var word = self
        word.text = Link.shown(text)
        return word
    }

    /// Whether it names an argument, instead of being a value.
    var isOption: Bool { !isQuoted && text.hasPrefix("--") }
}

extension Action {
    /// Whether an argument is a secret, so that what does not fit its arguments may be one too.
    var takesSecrets: Bool { arguments.contains(where: \.isSecret) }

    /// The name of an argument as messages may show it; nil where it may be a secret that starts with dashes.
    func shownName(_ name: String) -> String? {
        let names = arguments.map(\.name)
        let isNear = names.contains(name) || NearestName.of(name, among: names) != nil
        return isNear || !takesSecrets ? name : nil
    }
}
