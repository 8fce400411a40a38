@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime

/// An action as far as it is declared: what completion, history and redaction need of it.
///
/// Without what the action does, which would hold its screen's view model.
struct Declaration {
    let name: String
    let summary: String
    let effect: Action.Effect
    let arguments: [ArgumentDescription]
    /// Whether the action asks before it is done, and so takes `--yes`.
    let asksFirst: Bool

    init(_ action: Action) {
        name = action.name
        summary = action.summary
        effect = action.effect
        arguments = action.arguments
        asksFirst = action.question != nil
    }
}

/// The declared actions of screens that are not shown.
///
/// Declarations exist on views only, so each screen is built once in a sandbox, over mock services and without
/// a session: no real screen is built, so no guard is bypassed. See Docs/decisions/0023-declarations.md.
@MainActor
final class DeclaredActions {
    private let host: ShellHost
    /// The version of the container that the declarations are of.
    private var version: Int?
    /// By screen; nil for one that can't be built in a sandbox.
    private var known: [ObjectIdentifier: [Declaration]?] = [:]

    init(host: ShellHost) { self.host = host }

    /// The actions of a screen; nil if it can't be built in a sandbox.
    func actions(of screen: ScreenRegistration) -> [Declaration]? {
        if version != host.runtime.container.version {
            version = host.runtime.container.version
            known = [:]
        }
        if let known = known[ObjectIdentifier(screen)] { return known }
        var actions: [Declaration]?
        host.runtime.withViewsInSandbox([screen]) { view in actions = view.actions.map(Declaration.init) }
        known[ObjectIdentifier(screen)] = .some(actions)
        return actions
    }

    /// The actions of the current screen: those of the screen that is shown, else those that are declared.
    var current: [Declaration] {
        if let screen = host.coordinator.shownScreen { return screen.view.actions.map(Declaration.init) }
        return host.coordinator.currentRegistration.flatMap(actions(of:)) ?? []
    }

    var namesWithSecrets: Set<String> {
        Set(host.screens.all.flatMap { actions(of: $0) ?? [] }.filter(\.arguments.takeSecrets).map(\.name))
    }
}

extension Interpreter {
    enum Known {
        /// The action that it names, and how many words stand before the arguments.
        case action(Declaration, words: Int)
        /// A screen whose actions are not known, so that any word may be a secret.
        case screen
        /// Nothing: the first word means nothing, or names a screen that has no such action.
        case nothing
    }

    /// Looks a command up in the declarations; builds no screen and asks no guard.
    func lookUp(_ words: [Word]) -> Known {
        guard let first = words.first?.text else { return .nothing }
        if let (action, count) = hostCommand(words) { return .action(Declaration(action), words: count) }
        if let action = Self.action(first, of: declared.current, name: \.name) {
            return .action(action, words: 1)
        }
        guard let link = try? Link(first), let screen = host.screens.screen(for: link) else {
            return .nothing
        }
        guard words.count > 1 else { return .nothing }
        guard let actions = declared.actions(of: screen) else { return .screen }
        let action = actions.first { $0.name == words[1].text }
        return action.map { Known.action($0, words: 2) } ?? .nothing
    }

    // MARK: - Text without secrets

    /// A command as replies show it: `…` for each secret.
    func text(of command: Command, _ resolved: ResolvedCommand?) -> String {
        if let resolved {
            return Redaction.text(
                of: command, arguments: resolved.action?.arguments, words: resolved.skippedWords,
                marksSecrets: true)
        }
        return declaredText(of: command, marksSecrets: true)
            ?? (mayBeSecret(command.words[0].text)
                ? "…" : Redaction.firstWord(of: Redaction.plain(command)))
    }

    /// Whether a word that means nothing may be a secret: the current screen, or that of `link`, takes one, and no
    /// name resembles the word.
    func mayBeSecret(_ word: String, behind link: String? = nil) -> Bool {
        guard let link else {
            guard declared.current.contains(where: \.arguments.takeSecrets) else { return false }
            return NearestName.of(word, among: firstWords) == nil
        }
        let actions =
            (try? Link(link)).flatMap { host.screens.screen(for: $0) }.flatMap(declared.actions) ?? []
        guard actions.contains(where: \.arguments.takeSecrets) else { return false }
        return NearestName.of(word, among: actions.map(\.name)) == nil
    }

    /// A command with its secrets marked or left out; nil if any word may be one.
    func declaredText(of command: Command, marksSecrets: Bool) -> String? {
        var (arguments, skipped): ([ArgumentDescription]?, Int) = (nil, command.words[0].isOption ? 0 : 1)
        switch lookUp(command.words) {
        case .action(let action, let words): (arguments, skipped) = (action.arguments, words)
        case .nothing where !mayHoldSecret(command.words): break
        default: return nil
        }
        return Redaction.text(of: command, arguments: arguments, words: skipped, marksSecrets: marksSecrets)
    }

    func text(ofUnreadable line: String) -> String {
        mayHoldSecret(line) ? Redaction.firstWord(of: line) : line
    }

    /// Whether a line that can't be read may hold a secret: it says so, or names an action that takes one.
    func mayHoldSecret(_ line: String) -> Bool {
        Redaction.mayHoldSecret(line)
            || namesActionWithSecrets(line.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Whether words that mean nothing may hold a secret: where the screen takes one, behind the name of one or of
    /// an action that takes one, or behind an address.
    private func mayHoldSecret(_ words: [Word]) -> Bool {
        if namesActionWithSecrets(words.map(\.text)) || mayBeSecret(words[0].text) { return true }
        if words.count > 1, mayBeSecret(words[1].text, behind: words[0].text) { return true }
        return words.dropLast().contains { word in
            !word.isOption && (Redaction.mayHoldSecret(word.text) || Redaction.isAddress(word.text))
        }
    }

    /// Whether one of the first words is, or nearly is, the name of an action that takes a secret.
    private func namesActionWithSecrets(_ words: [String]) -> Bool {
        let names = declared.namesWithSecrets.map { $0.filter { $0 != "-" } }
        return words.prefix(3).contains { NearestName.of($0.filter { $0 != "-" }, among: names) != nil }
    }
}
