@_spi(Host) internal import AtriumKit
internal import AtriumLanguage
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumText
internal import AtriumViews

/// The content of `help`; made from declarations, so that no screen is built for it.
@MainActor
struct Help {
    let scene: Scene
    private var host: ShellHost { scene.host }
    private let commands: [HostCommands.Command]
    private let declared: DeclaredActions

    init(scene: Scene) {
        self.scene = scene
        commands = HostCommands(scene: scene).all
        declared = scene.host.declared
    }

    /// Explains the topic that words name; without words, lists the commands.
    func content(about words: [String]) throws -> Content {
        words.isEmpty ? overview : try explanation(of: words)
    }

    /// The names of all commands by subject, on one screen; programs get a row for each command too.
    private var overview: Content {
        let current = scene.declaredActions
        return Content {
            Text("Type a command, an action of the current screen, or LINK [ACTION].")
            Table(HostCommands.Subject.allCases, key: "subjects") {
                Column("subject") { $0.rawValue }
                Column("commands") { subject in Worded(names(of: subject)) }
            }
            if !moduleCommands.isEmpty {
                Field("commands", label: "Of modules", Worded(moduleCommands.map(\.key)))
            }
            if !current.isEmpty { Field("here", label: "Actions here", Worded(current.map(\.name))) }
            Text(
                "'help SUBJECT' lists its commands, 'help NAME' explains a command, action, link or module, "
                    + "and so does --help behind it. 'links' lists the screens.")
            ActionViews.table(commands.map { Declaration($0.action) }, isHidden: true)
            if !current.isEmpty { ActionViews.table(current, key: "actions", isHidden: true) }
            Table(scene.knownLinks, key: "links") {
                Column("link", isHidden: true) { $0.pattern.description }
                Column("summary", isHidden: true) { $0.summary }
            }
        }
    }

    private var moduleCommands: [(key: String, value: String)] {
        host.moduleCommands.sorted { $0.key < $1.key }
    }

    private func names(of subject: HostCommands.Subject) -> [String] {
        commands.filter { $0.subject == subject }.map(\.action.name)
    }

    /// Explains the topic that words name: a subject, a command, a group of commands, an action of the
    /// current screen or its number, a module, a link, an action after its link, or an action of any screen.
    private func explanation(of words: [String]) throws -> Content {
        let name = words.joined(separator: " ")
        if let content = commandHelp(name) { return content }
        if let action = Interpreter.action(name, of: scene.declaredActions, name: \.name) {
            return explain(action)
        }
        if let line = host.moduleCommand(name), let command = try? Lexer.commands(in: line).first {
            return try explanation(of: command.words.map(\.text))
        }
        if let module = host.runtime.module(name) {
            return ModuleViews.detail(
                module, environment: host.environment, contracts: host.runtime.contracts(of: module),
                uses: host.runtime.uses(of: module))
        }
        if words.count == 1, let content = linkHelp(name) { return content }
        if words.count == 2, let content = try actionHelp(words[1], behind: words[0]) { return content }
        if let content = actionHelp(name) { return content }
        let subjects = HostCommands.Subject.allCases.filter { name.count > 1 && $0.rawValue.hasPrefix(name) }
        if subjects.count == 1 {
            return list(commands.filter { $0.subject == subjects[0] }.map { Declaration($0.action) })
        }
        let forms = "'help' explains one name, LINK ACTION or TYPE.NAME."
        // Words after a known one may be anything, even a secret.
        guard words.count == 1 || words.allSatisfy(isTopic) else {
            throw ShellError(
                .notFound, "There is no help about these \(words.count) words together.", hint: forms)
        }
        throw ShellError.unknown(
            .notFound, name, among: topics, else: words.count == 1 ? "'help' lists the commands." : forms
        ) {
            "There is no help about '\($0)'."
        }
    }

    /// Every topic that has help; completion offers them after `help`.
    var topics: [String] {
        let names = commands.map(\.action.name)
        let groups = names.compactMap { $0.split(separator: " ").first.map(String.init) }
        return
            (names + groups + HostCommands.Subject.allCases.map(\.rawValue)
            + host.runtime.modules.map(\.name) + scene.knownLinks.map(\.pattern.description)
            + scene.declaredActions.map(\.name) + moduleCommands.map(\.key)
            + host.screens.all.flatMap { declared.actions(of: $0) ?? [] }.map(\.name)
            + host.runtime.container.graph.nodes.map(\.name)).uniqued
    }

    /// True if a word is part of a topic's name, or nearly.
    func isTopic(_ word: String) -> Bool {
        if let link = try? Link(word), scene.knownLinks.contains(where: { $0.pattern.matches(link) }) {
            return true
        }
        let names = topics.flatMap { $0.split(separator: " ").map(String.init) }
        return names.contains(word) || NearestName.of(word, among: names) != nil
    }

    // MARK: - Commands

    private func commandHelp(_ typed: String) -> Content? {
        let name = HostCommands.synonyms[typed] ?? typed
        let command = commands.first { $0.action.name == name }.map { Declaration($0.action) }
        var members = commands.map { Declaration($0.action) }.filter { $0.name.hasPrefix(name + " ") }
        if let subject = HostCommands.Subject(rawValue: name) {
            members = commands.filter { $0.subject == subject }.map { Declaration($0.action) }
        }
        guard !members.isEmpty else { return command.map { explain($0) } }
        return Content {
            // 'modules' is both a command and a group, and so is 'container'.
            if let command { explain(command, arguments: "arguments") }
            list(members)
        }
    }

    private func list(_ commands: [Declaration]) -> Content {
        ActionViews.table(commands, heading: "Command", showsArguments: false)
    }

    // MARK: - Links and their actions

    private func linkHelp(_ text: String) -> Content? {
        if let known = scene.knownLinks.first(where: { $0.pattern.description == text && $0.takesValues }) {
            return explain(form: known)
        }
        guard let link = try? Link(text) else { return nil }
        if let screen = host.screens.screen(for: link) { return explain(screen) }
        return scene.knownLinks.first { $0.pattern.matches(link) }.map { explain($0) }
    }

    private func actionHelp(_ name: String, behind text: String) throws -> Content? {
        let link = try? Link(text)
        let form = host.screens.all.first { $0.pattern.description == text }
        guard let screen = form ?? link.flatMap(host.screens.screen),
            let actions = declared.actions(of: screen)
        else { return nil }
        if let action = actions.first(where: { $0.name == name }) { return explain(action, on: screen) }
        throw Interpreter.unknownAction(
            isTopic(name) ? name : nil, on: text, among: actions.map(\.name))
    }

    /// The help of an action on other screens; if several have it, their links.
    private func actionHelp(_ name: String) -> Content? {
        let found = host.screens.all.compactMap { screen in
            declared.actions(of: screen)?.first { $0.name == name }.map { (screen: screen, action: $0) }
        }
        guard found.count != 1 else { return explain(found[0].action, on: found[0].screen) }
        guard !found.isEmpty else { return nil }
        return Content {
            Text("Several screens have the action '\(name)'.")
            Table(found) {
                Column("name", label: "Type") { "\($0.screen.pattern.example) \(name)" }
                Column("arguments") { ActionViews.usage(of: $0.action) }
                Column("summary") { $0.action.summary }
            }
            Notice(
                .information, "Help about one of them lists its arguments.",
                hint: "help \(found[0].screen.pattern.example) \(name)")
        }
    }

    /// Explains a command, or an action: as typed on its screen, or from anywhere after its link.
    private func explain(
        _ action: Declaration, on screen: ScreenRegistration? = nil, arguments key: String = "rows"
    ) -> Content {
        let typed = [screen?.pattern.example, action.name, ActionViews.usage(of: action)].compactMap { $0 }
        return Content {
            Title(typed.filter { !$0.isEmpty }.joined(separator: " "))
            Text(action.summary + ".")
            Field("name", action.name)
            if let screen { Field("link", screen.pattern.description) }
            Field("effect", action.effect.rawValue)
            if !action.arguments.isEmpty {
                Table(action.arguments, key: key) {
                    Column("name", label: "Argument") { "--" + $0.name }
                    Column("type", label: "Takes") { describe($0) }
                    Column("required") { $0.isRequired }
                    Column("default") { $0.defaultText }
                    Column("summary") { $0.summary }
                }
            }
        }
    }

    private func describe(_ argument: ArgumentDescription) -> String {
        if argument.isSecret { return "a secret: asked for, @env:NAME or @file:PATH" }
        return argument.choices.isEmpty ? argument.typeName : argument.choices.joined(separator: ", ")
    }

    @ContentBuilder
    private func head(_ pattern: LinkPattern, _ summary: String, _ module: String) -> Content {
        Title(pattern.description)
        Text(summary + ".")
        Field("module", module)
    }

    private func explain(_ link: KnownLink) -> Content {
        Content {
            head(link.pattern, link.summary, link.module)
            Notice(.information, "Its actions are known once it is loaded.", hint: "open \(link.suggestion)")
        }
    }

    private func explain(form link: KnownLink) -> Content {
        Content {
            head(link.pattern, link.summary, link.module)
            Table(link.pattern.segments.filter { $0.name != nil }) {
                Column("part") { $0.text }
                Column("meaning", label: "Stands for") { $0.meaning }
            }
            Notice(
                .information, "Replace each part by a value. Help about such a link lists its actions.",
                hint: "help \(link.pattern.example)")
        }
    }

    private func explain(_ screen: ScreenRegistration) -> Content {
        Content {
            head(screen.pattern, host.summary(of: screen), screen.module)
            ActionViews.table(declared.actions(of: screen) ?? [])
        }
    }
}

enum ActionViews {
    static func table(
        _ actions: [Declaration], key: String = "rows", heading: String = "Action",
        showsArguments: Bool = true, isHidden: Bool = false
    ) -> Content {
        guard !actions.isEmpty else { return Content() }
        return Content {
            Table(actions, key: key) {
                Column("name", label: heading, isHidden: isHidden) { $0.name }
                Column("arguments", isHidden: isHidden || !showsArguments) { usage(of: $0) }
                Column("effect", isHidden: true) { $0.effect.rawValue }
                Column("summary", isHidden: isHidden) { $0.summary }
            }
        }
    }

    /// The actions of the current screen, each with the number that may be typed instead of its name.
    static func numbered(_ actions: [Action]) -> Content {
        Content {
            Table(Array(actions.map(Declaration.init).enumerated())) {
                Column("number", label: "No.") { $0.offset + 1 }
                Column("name", label: "Action") { $0.element.name }
                Column("arguments") { usage(of: $0.element) }
                Column("effect", isHidden: true) { $0.element.effect.rawValue }
                Column("summary") { $0.element.summary }
            }
        }
    }

    /// The arguments as they are typed, by position first: `NAME [--page PAGE]`.
    static func usage(of action: Declaration) -> String {
        action.arguments.enumerated().map { index, argument in
            if argument.isSwitch { return "[--\(argument.name)]" }
            let value = placeholder(for: argument) + (argument.isList ? "…" : "")
            if argument.isRequired { return value }
            let isPositional = argument.isList || (index == 0 && argument.defaultText == nil)
            return isPositional ? "[\(value)]" : "[--\(argument.name) \(value)]"
        }.joined(separator: " ")
    }

    private static func placeholder(for argument: ArgumentDescription) -> String {
        let choices = argument.choices.joined(separator: "|")
        return !choices.isEmpty && choices.count <= 32 ? choices : argument.name.uppercased()
    }
}

extension KnownLink {
    /// True if links matching this pattern have values in their path.
    fileprivate var takesValues: Bool { pattern.segments.contains { $0.name != nil } }
}

extension LinkPattern {
    /// The pattern with words in capitals for values: `entities/ID`.
    fileprivate var example: String {
        segments.map { $0.name?.uppercased() ?? $0.text }.joined(separator: "/")
    }
}

extension LinkPattern.Segment {
    /// The segment as a pattern writes it.
    fileprivate var text: String {
        switch self {
        case .literal(let text): text
        case .argument(let name): ":\(name)"
        case .optional(let name): ":\(name)?"
        case .tail(let name): ":\(name)*"
        }
    }

    fileprivate var meaning: String {
        switch self {
        case .literal: "itself"
        case .argument(let name): "the \(name)"
        case .optional(let name): "the \(name), which may be left out"
        case .tail(let name): "the \(name): any number of parts, also none"
        }
    }
}
