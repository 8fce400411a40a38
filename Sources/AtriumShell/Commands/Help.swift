@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime

/// What `help` says; from declarations, so that no screen is built for it.
@MainActor
struct Help {
    let host: ShellHost
    let commands: [HostCommands.Command]
    private let declared: DeclaredActions

    init(host: ShellHost, commands: [HostCommands.Command]) {
        self.host = host
        self.commands = commands
        declared = DeclaredActions(host: host)
    }

    /// The names of all commands by subject, on one screen; programs get a row for each command too.
    var overview: Content {
        let current = declared.current
        return Content {
            Text("Type a command, an action of the current screen, or LINK [ACTION].")
            Table(HostCommands.Subject.allCases, key: "subjects") {
                Column("subject") { $0.rawValue }
                Column("commands") { subject in Worded(names(of: subject)) }
            }
            if !current.isEmpty { Field("here", label: "Actions here", Worded(current.map(\.name))) }
            Text(
                "'help SUBJECT' lists its commands, 'help NAME' explains a command, action, link or module, "
                    + "'links' lists the screens.")
            ActionViews.table(commands.map { Declaration($0.action) }, isHidden: true)
            if !current.isEmpty { ActionViews.table(current, key: "actions", isHidden: true) }
            Table(host.knownLinks, key: "links") {
                Column("link", isHidden: true) { $0.pattern.description }
                Column("summary", isHidden: true) { $0.summary }
            }
        }
    }

    private func names(of subject: HostCommands.Subject) -> [String] {
        commands.filter { $0.subject == subject }.map(\.action.name)
    }

    func content(about name: String) throws -> Content {
        let command = commands.first { $0.action.name == name }.map { Declaration($0.action) }
        if let subject = HostCommands.Subject(rawValue: name) {
            let members = commands.filter { $0.subject == subject }.map { Declaration($0.action) }
            return Content {
                // 'modules' is a command, too.
                if let command { explain(command) }
                ActionViews.table(members, key: "commands", heading: "Command", showsArguments: false)
            }
        }
        if let command { return explain(command) }
        if let action = declared.current.first(where: { $0.name == name }) { return explain(action) }
        if let module = host.runtime.module(name) {
            return ModuleViews.detail(module, environment: host.environment)
        }
        if let known = host.knownLinks.first(where: { $0.pattern.description == name && $0.takesValues }) {
            return explain(form: known)
        }
        if let link = try? Link(name), let screen = host.screens.screen(for: link) { return explain(screen) }
        if let link = try? Link(name), let known = host.knownLinks.first(where: { $0.pattern.matches(link) })
        {
            return explain(known)
        }
        let known =
            commands.map(\.action.name) + host.runtime.modules.map(\.name)
            + host.knownLinks.map(\.pattern.description) + declared.current.map(\.name)
        throw ShellError.unknown(.notFound, name, among: known, else: "'help' lists the commands.") {
            "There is no help about '\($0)'."
        }
    }

    private func explain(_ action: Declaration) -> Content {
        Content {
            Title([action.name, ActionViews.usage(of: action)].filter { !$0.isEmpty }.joined(separator: " "))
            Text(action.summary + ".")
            Field("name", action.name)
            Field("effect", action.effect.rawValue)
            if !action.arguments.isEmpty {
                Table(action.arguments, key: "arguments") {
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
            Table(link.pattern.segments.filter { $0.name != nil }, key: "values") {
                Column("part") { $0.text }
                Column("meaning", label: "Stands for") { $0.meaning }
            }
            Notice(
                .information, "Replace each part by a value. Help about such a link lists its actions.",
                hint: "help \(link.example)")
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
        guard !actions.isEmpty else { return Content() }
        return Content {
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
    /// Whether links of this form have values in their path.
    fileprivate var takesValues: Bool { pattern.segments.contains { $0.name != nil } }

    /// The form with words in capitals for values: `entities/ID`.
    fileprivate var example: String {
        pattern.segments.map { $0.name?.uppercased() ?? $0.text }.joined(separator: "/")
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
