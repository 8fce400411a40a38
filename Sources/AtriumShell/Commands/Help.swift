@_spi(Host) internal import AtriumKit
internal import AtriumNavigation
internal import AtriumRuntime

/// What `help` says.
@MainActor
struct Help {
    let host: ShellHost
    let commands: [Action]

    /// Help about `name`, or about everything.
    func content(about name: String?) throws -> Content {
        guard let name else { return overview }
        if let command = commands.first(where: { $0.name == name }) { return explain(command) }
        let screen = try host.coordinator.currentScreen()
        if let action = screen?.view.actions.first(where: { $0.name == name }) { return explain(action) }
        if let module = host.runtime.module(name) {
            return ModuleViews.detail(module, environment: host.environment)
        }
        if let known = host.knownLinks.first(where: { $0.pattern.description == name && $0.takesValues }) {
            return explain(form: known)
        }
        if let link = try? Link(name), let screen = host.screens.screen(for: link) {
            return try explain(screen, at: link)
        }
        if let link = try? Link(name), let known = host.knownLinks.first(where: { $0.pattern.matches(link) })
        {
            return explain(known)
        }
        throw CommandError.noHelp(
            name,
            known: commands.map(\.name) + host.runtime.modules.map(\.name)
                + host.knownLinks.map(\.pattern.description) + (screen?.view.actions.map(\.name) ?? []))
    }

    private var overview: Content {
        Content {
            Text("Type a command, an action of the current screen, or LINK [ACTION] for a screen anywhere.")
            ActionViews.table(commands, heading: "Command")
            if let screen = try? host.coordinator.currentScreen(), !screen.view.actions.isEmpty {
                ActionViews.table(screen.view.actions, key: "actions", heading: "Action at \(host.place)")
            }
            Table(host.knownLinks, key: "links") {
                Column("link", label: "Screen") { $0.pattern.description }
                Column("summary") { $0.summary }
            }
        }
    }

    private func explain(_ action: Action) -> Content {
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

    private func explain(_ link: KnownLink) -> Content {
        Content {
            Title(link.pattern.description)
            Text(link.summary + ".")
            Field("module", link.module)
            Notice(.information, "Its actions are known once it is loaded.", hint: "open \(link.suggestion)")
        }
    }

    /// What a link of a form looks like, where no link is given.
    private func explain(form link: KnownLink) -> Content {
        Content {
            Title(link.pattern.description)
            Text(link.summary + ".")
            Field("module", link.module)
            Table(link.pattern.segments.filter { $0.name != nil }, key: "values") {
                Column("part") { $0.text }
                Column("meaning", label: "Stands for") { $0.meaning }
            }
            Notice(
                .information,
                "With values in their places it is a link; what can be done there, help tells of one.",
                hint: "help \(link.example)")
        }
    }

    private func explain(_ registration: ScreenRegistration, at link: Link) throws -> Content {
        let actions = try host.coordinator.detached().prepare(link)?.screen.view.actions ?? []
        return Content {
            Title(registration.pattern.description)
            Text(host.summary(of: registration) + ".")
            Field("module", registration.module)
            ActionViews.table(actions)
        }
    }
}

extension KnownLink {
    /// Whether links of this form have values in their path.
    fileprivate var takesValues: Bool { pattern.segments.contains { $0.name != nil } }

    /// The form with words in capitals where values belong: `entities/ID`.
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

    /// What it stands for, in words.
    fileprivate var meaning: String {
        switch self {
        case .literal: "itself"
        case .argument(let name): "the \(name)"
        case .optional(let name): "the \(name), which may be left out"
        case .tail(let name): "the \(name): any number of parts, also none"
        }
    }
}
