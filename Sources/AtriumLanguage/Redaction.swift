@_spi(Host) package import AtriumKit
internal import AtriumText

/// Keeps secrets out of stored and printed text.
extension Redaction {
    /// The command with `…` for each secret, or without its secrets.
    ///
    /// If the action is not known (`arguments` is nil), arguments named like a secret count as one. If it is,
    /// so do words that are none of its arguments: the user may have typed anything there.
    package static func text(
        of command: Command, arguments: [ArgumentDescription]?, words skipped: Int, marksSecrets: Bool
    ) -> String {
        var redactor = Redactor(arguments: arguments, marksSecrets: marksSecrets)
        // A link may have a secret in its query.
        let words = command.words.map { word in
            var word = word
            let typed = word.text
            // A nested line, as in 'atrium -c'.
            if word.text.utf8.contains(UInt8(ascii: " ")), word.text.contains(" --"), mayHoldSecret(word.text)
            {
                word.text = firstWord(of: word.text)
            }
            word.text = shown(word.text)
            if word.text != typed { word.references = [] }
            return word
        }
        redactor.read(words.dropFirst(skipped))
        let before = words.prefix(skipped).map(Quoting.quote)
        return (before + redactor.result).joined(separator: " ")
    }

    package static func text(of prefixed: PrefixedCommand, as command: String) -> String {
        (prefixed.prefix.map(Quoting.quote) + [command]).joined(separator: " ")
    }

    package static func plain(_ command: Command) -> String {
        command.words.map(Quoting.quote).joined(separator: " ")
    }
}

/// Mirrors ``ArgumentReader``, so that both find the same secrets.
private struct Redactor {
    let arguments: [ArgumentDescription]?
    /// True if `…` replaces a secret; otherwise secret and name are left out.
    let marksSecrets: Bool
    private(set) var result: [String] = []
    fileprivate var given: Set<String> = []
    /// True if the reader refuses the command, so any value may be the secret.
    fileprivate var isRefused = false

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

    /// True if ``ArgumentReader`` reads the word after a name as its value.
    private func isValue(_ word: Word, of name: String, _ isSecret: Bool) -> Bool {
        if isSwitch(name) { return Bool.argumentChoices.contains(word.text) }
        return !word.isOption || (isSecret && !isName(word))
    }

    private func isSwitch(_ name: String) -> Bool {
        arguments?.first { $0.name == name }?.choices == Bool.argumentChoices
    }

    private mutating func readOption(_ word: Word, _ rest: inout ArraySlice<Word>) {
        let parts = word.text.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let isSecret = isSecret(name)
        note(name)
        if parts.count > 1 {
            keep([word], unless: isSecret && !Redaction.isReference(parts[1]), name)
        } else if let next = rest.first, isValue(next, of: name, isSecret) {
            rest.removeFirst()
            keep([word, next], unless: isSecret && !Redaction.isReference(next.text), name)
        } else {
            // An unknown name may be a secret that starts with dashes.
            keep([word], unless: isSecret && shownName(name) == nil, name)
        }
    }

    private mutating func readValue(_ word: Word, namesSecret: Bool) {
        let isUnclear = isRefused && arguments?.takeSecrets == true
        let argument = isUnclear ? nil : arguments?.next(for: word.text, given: given)
        if let argument { given.insert(argument.name) } else { isRefused = true }
        let isSecret = argument?.isSecret ?? (arguments != nil)
        keep(
            [word], unless: isSecret && !Redaction.isReference(word.text), namesSecret ? argument?.name : nil)
    }

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
        guard let arguments else { return }
        let isKnown = arguments.contains { $0.name == name }
        if !isKnown || !given.insert(name).inserted { isRefused = true }
    }

    private func isSecret(_ name: String) -> Bool {
        if let argument = arguments?.first(where: { $0.name == name }) { return argument.isSecret }
        return arguments?.takeSecrets == true || Redaction.mayHoldSecret(name)
            || NearestName.of(name, among: SecretName.words) != nil
    }

    /// The name of an option; nil if it resembles no name, and so may itself be a secret.
    private func shownName(_ name: String) -> String? { arguments.map { $0.shownName(name) } ?? name }

    private func isName(_ word: Word) -> Bool {
        arguments?.contains { word.text == "--" + $0.name || word.text.hasPrefix("--\($0.name)=") } ?? false
    }
}

extension Word {
    package var isOption: Bool { !isQuoted && text.hasPrefix("--") }
}

extension [ArgumentDescription] {
    /// True if an argument is a secret, so any other word may be one too.
    package var takeSecrets: Bool { contains(where: \.isSecret) }

    /// The name of an argument; nil if it may be a secret that starts with dashes.
    func shownName(_ name: String) -> String? {
        let names = map(\.name)
        let isNear = names.contains(name) || NearestName.of(name, among: names) != nil
        return isNear || !takeSecrets ? name : nil
    }
}
