@_spi(Host) package import AtriumKit
package import AtriumLanguage
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumText

/// The declaration of an action, for completion, history and redaction.
///
/// Without the closure that performs it, which would hold its screen's view model.
package struct Declaration {
    package let name: String
    package let summary: String
    package let effect: Action.Effect
    package let arguments: [ArgumentDescription]

    package init(_ action: Action) {
        name = action.name
        summary = action.summary
        effect = action.effect
        arguments = action.arguments
    }
}

/// The declared actions of screens that are not shown.
///
/// Declarations exist on views only, so each screen is built once in a sandbox, over mock services and
/// without a session; no real screen is built, so no guard is bypassed. See
/// Docs/decisions/0023-declarations.md.
@MainActor
package final class DeclaredActions {
    private unowned let host: ShellHost
    /// The version of the container to which the declarations belong.
    private var version: Int?
    /// By screen; nil for a screen that can't be built in a sandbox.
    private var known: [ObjectIdentifier: [Declaration]?] = [:]

    init(host: ShellHost) { self.host = host }

    /// The actions of a screen; nil if it can't be built in a sandbox.
    package func actions(of screen: ScreenRegistration) -> [Declaration]? {
        if version != host.runtime.container.version {
            version = host.runtime.container.version
            known = [:]
        }
        if let known = known[ObjectIdentifier(screen)] { return known }
        var actions: [Declaration]?
        host.runtime.withViewsInSandbox([screen]) { actions = $0.listedActions.map(Declaration.init) }
        known[ObjectIdentifier(screen)] = .some(actions)
        return actions
    }

    var namesWithSecrets: Set<String> {
        Set(host.screens.all.flatMap { actions(of: $0) ?? [] }.filter(\.arguments.takeSecrets).map(\.name))
    }
}

extension Interpreter {
    package enum Known {
        /// An action, and the number of words before its arguments.
        case action(Declaration, words: Int)
        /// A screen whose actions are unknown, so any word may be a secret.
        case screen
        /// A link alone, or a link of a module that is not loaded.
        case link
        /// A typo: the word resembles a known one.
        case resemblance
        case nothing
    }

    /// Looks a command up in the declarations; builds no screen and evaluates no guard.
    package func lookUp(_ words: [Word]) -> Known {
        guard let first = words.first?.text else { return .nothing }
        if let (action, count) = hostCommand(words) { return .action(Declaration(action), words: count) }
        if let action = Self.action(first, of: scene.declaredActions, name: \.name) {
            return .action(action, words: 1)
        }
        guard let link = try? Link(first), let screen = host.screens.screen(for: link) else {
            return resembles(first, firstWords) ?? (isLinkOfModule(first) ? .link : .nothing)
        }
        guard words.count > 1 else { return .link }
        guard let actions = declared.actions(of: screen) else { return .screen }
        if let action = actions.first(where: { $0.name == words[1].text }) {
            return .action(action, words: 2)
        }
        return resembles(words[1].text, actions.map(\.name)) ?? .nothing
    }

    private func resembles(_ word: String, _ known: [String]) -> Known? {
        NearestName.of(word, among: known).map { _ in .resemblance }
    }

    /// True if a link belongs to a module that is not loaded.
    private func isLinkOfModule(_ text: String) -> Bool {
        guard let link = try? Link(text) else { return false }
        return scene.knownLinks.contains { $0.pattern.matches(link) } || host.reasonAgainst(link) != nil
    }

    /// The command with its prefix, such as `repeat N`; nil if it has none.
    package func prefixed(_ command: Command) -> PrefixedCommand? {
        guard let prefixed = PrefixedCommand(command), !isAction(prefixed.prefix[0].text) else { return nil }
        return prefixed
    }

    /// True if the current screen has an action with a name, which then hides a later command of that name.
    func isAction(_ name: String) -> Bool { scene.declaredActions.contains { $0.name == name } }

    // MARK: - Text without secrets

    /// A command as replies show it: `…` for each secret.
    package func text(of command: Command, _ resolved: ResolvedCommand?) -> String {
        if let prefixed = prefixed(command) {
            return Redaction.text(of: prefixed, as: text(of: prefixed.command, resolved))
        }
        if let resolved, resolved.action?.name != HostCommands.help {
            return Redaction.text(
                of: command, arguments: resolved.action?.arguments, words: resolved.skippedWords,
                marksSecrets: true)
        }
        if let text = declaredText(of: command, marksSecrets: true) { return text }
        let first = command.words[0].text
        if mayBeSecret(first) { return "…" }
        let shown = Quoting.quote(Redaction.shown(first))
        return command.words.count > 1 ? shown + " …" : shown
    }

    /// True if an unknown word may be a secret: the current screen, the screen of `link`, or the previous
    /// command takes one, and no name resembles the word.
    func mayBeSecret(_ word: String, behind link: String? = nil) -> Bool {
        guard let link else {
            guard isSecretLikely || scene.declaredActions.contains(where: \.arguments.takeSecrets) else {
                return false
            }
            return NearestName.of(word, among: firstWords) == nil
        }
        let actions =
            (try? Link(link)).flatMap { host.screens.screen(for: $0) }.flatMap(declared.actions) ?? []
        guard actions.contains(where: \.arguments.takeSecrets) else { return false }
        return NearestName.of(word, among: actions.map(\.name)) == nil
    }

    /// A command with its secrets marked or left out; nil if any word may be a secret.
    package func declaredText(of command: Command, marksSecrets: Bool) -> String? {
        if let prefixed = prefixed(command) {
            return declaredText(of: prefixed.command, marksSecrets: marksSecrets)
                .map { Redaction.text(of: prefixed, as: $0) }
        }
        var command = command
        var (arguments, skipped): ([ArgumentDescription]?, Int) = (nil, command.words[0].isOption ? 0 : 1)
        switch lookUp(command.words) {
        case .action(let action, let words):
            (arguments, skipped) = (action.arguments, words)
            if action.name == HostCommands.help { command = topics(of: command, marksOthers: marksSecrets) }
        case .link where !mayHoldSecret(command.words), .resemblance where !mayHoldSecret(command.words):
            break
        default: return nil
        }
        return Redaction.text(of: command, arguments: arguments, words: skipped, marksSecrets: marksSecrets)
    }

    /// `help` with the words that name a topic; others are marked or left out.
    private func topics(of command: Command, marksOthers: Bool) -> Command {
        guard command.words.count > 1 else { return command }
        let help = Help(scene: scene)
        var words = [command.words[0]]
        for var word in command.words.dropFirst() {
            if help.isTopic(word.text) {
                words.append(word)
            } else if marksOthers {
                word.text = "…"
                words.append(word)
            }
        }
        return Command(words: words)
    }

    package func text(ofUnreadable line: String) -> String {
        mayHoldSecret(line) ? Redaction.firstWord(of: line) : line
    }

    /// True if a line that can't be parsed may hold a secret: it says so, names an action that takes one, or
    /// has unknown words.
    package func mayHoldSecret(_ line: String) -> Bool {
        if Redaction.mayHoldSecret(line) { return true }
        let words = line.split(whereSeparator: \.isWhitespace).map { Word(text: String($0), start: 0) }
        guard !words.isEmpty else { return false }
        let command = Command(words: words)
        return declaredText(of: command, marksSecrets: false) != Redaction.plain(command)
            || namesActionWithSecrets(words.map(\.text))
    }

    /// True if unknown words may hold a secret: on a screen that takes one, after the name of a secret or of
    /// an action that takes one, or after an email address.
    private func mayHoldSecret(_ words: [Word]) -> Bool {
        if namesActionWithSecrets(words.map(\.text)) || mayBeSecret(words[0].text) { return true }
        if words.count > 1, mayBeSecret(words[1].text, behind: words[0].text) { return true }
        return words.dropLast().contains { word in
            !word.isOption && (Redaction.mayHoldSecret(word.text) || Redaction.isAddress(word.text))
        }
    }

    /// True if one of the first words is, or nearly is, the name of an action that takes a secret.
    func namesActionWithSecrets(_ words: [String]) -> Bool {
        let names = declared.namesWithSecrets.map { $0.filter { $0 != "-" } }
        return words.prefix(3).contains { NearestName.of($0.filter { $0 != "-" }, among: names) != nil }
    }
}
