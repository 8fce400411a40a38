@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation
internal import AtriumRuntime

/// The commands of the host itself, declared like the actions of a screen.
@MainActor
struct HostCommands {
    let host: ShellHost
    /// Whether the arguments come with everything that can be proposed for them, as completion needs them.
    var offersNames = false

    /// The command that ends the session.
    static let exit = "exit"

    /// All of them, in the order in which `help` lists them.
    var all: [Action] {
        [help, modules, module] + NavigationCommands(host: host).all + [actions]
            + NavigationCommands(host: host).nav + ModuleCommands(host: host).all
            + ExplainCommands(host: host).all
            + ContainerCommands(host: host, offersNames: offersNames).all
            + LiveCommands(host: host).all + MockCommands(host: host, offersNames: offersNames).all
            + APICommands(host: host).all + [health, exit]
    }

    /// Those whose name begins with a word: to make an action costs more than to find it.
    func commands(beginningWith word: String) -> [Action] {
        switch word {
        case "help": [help]
        case "modules": [modules]
        case "module": [module] + ModuleCommands(host: host).all
        case "open", "back", "forward", "pop", "root", "where", "link", "links":
            NavigationCommands(host: host).all
        case "nav": NavigationCommands(host: host).nav
        case "actions": [actions]
        case "why", "what-if", "events": ExplainCommands(host: host).all
        case "container": ContainerCommands(host: host, offersNames: offersNames).all
        case "api": APICommands(host: host).all
        case "mock": MockCommands(host: host, offersNames: offersNames).all
        case "live", "watch", "unwatch", "viewport", "jobs": LiveCommands(host: host).all
        case "health": [health]
        case Self.exit: [exit]
        default: []
        }
    }

    private var help: Action {
        Action(
            "help", "Lists the commands, or explains one command, action, link or module", effect: .reads,
            Argument<String?>("name", "What to explain"),
            Argument<String?>("of", "The second word of a command of two words")
        ) { name, part in
            let words = [name, part].compactMap { $0 }
            return .content(
                try Help(host: host, commands: all).content(
                    about: words.isEmpty ? nil : words.joined(separator: " ")))
        }
    }

    private var modules: Action {
        Action(
            "modules", "Lists the modules and their states", effect: .reads,
            Argument("tree", "As a tree of who requires whom", default: false)
        ) { isTree in
            if isTree { return .content(ModuleViews.tree(host.runtime.modules)) }
            return .content(ModuleViews.list(host.runtime.modules, environment: host.environment))
        }
    }

    private var module: Action {
        Action(
            "module", "Shows one module, and why it is as it is", effect: .reads,
            Argument<String>("name", "The module", suggestions: host.runtime.modules.map(\.name))
        ) { name in
            guard let module = host.runtime.module(name) else {
                throw CommandError.unknownModule(name, known: host.runtime.modules.map(\.name))
            }
            return .content(
                ModuleViews.detail(
                    module, environment: host.environment, generations: host.runtime.generations(of: module)))
        }
    }

    private var actions: Action {
        Action("actions", "Lists what can be done at the current place", effect: .reads) {
            try await host.coordinator.loadCurrentModule()
            if let arrival = try await host.coordinator.evaluateCurrentGuards() {
                return .updated(DetourViews.message(arrival))
            }
            let actions = try host.coordinator.currentScreen()?.view.actions ?? []
            return .content(
                Content {
                    if actions.isEmpty {
                        Notice(.information, "Nothing can be done at '\(host.place)'.", hint: "links")
                    }
                    ActionViews.numbered(actions)
                })
        }
    }

    private var health: Action {
        Action("health", "Runs the health checks of all modules", effect: .reads) {
            let report = try await HealthReport(host.runtime.container)
            guard report.failures == 0 else { throw HealthError(report) }
            return .content(report.content)
        }
    }

    private var exit: Action {
        Action(Self.exit, "Ends the session; everything is kept", effect: .navigates) { .content(Content()) }
    }
}

extension ShellHost {
    /// The line that a module's manifest gives to a screen.
    func summary(of screen: ScreenRegistration) -> String {
        let declared = runtime.module(screen.module)?.manifest?.screens
        return declared?.first { $0.pattern == screen.pattern.description }?.summary ?? ""
    }

    /// The beginnings of links: whole where they have no arguments, else up to the first.
    var linkSuggestions: [String] {
        knownLinks.map(\.suggestion)
    }

    /// Why a link that no active module has can't be opened, where an inactive module declares it.
    func reasonAgainst(_ link: Link) -> ModuleError? {
        runtime.reasonAgainst(link.segments) { LinkPattern(stringLiteral: $0).matches(link) }
    }
}
