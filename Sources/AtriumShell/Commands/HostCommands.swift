@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation
internal import AtriumRuntime

/// The host's own commands, declared like the actions of a screen.
///
/// ``all`` is the only list: help, dispatch and completion follow from it.
@MainActor
struct HostCommands {
    /// What a command is about; `help` lists the commands by it.
    enum Subject: String, CaseIterable {
        case navigate, modules, data, inspect, shell
    }

    /// A command under its subject.
    struct Command {
        let subject: Subject
        let action: Action
    }

    /// The command that ends the session.
    static let exit = "exit"

    let all: [Command]
    private let host: ShellHost

    /// With `offersNames`, arguments carry what completion offers for them, which takes time to collect.
    init(host: ShellHost, offersNames: Bool = false) {
        self.host = host
        let links = offersNames ? host.linkSuggestions : []
        let navigation = NavigationCommands(host: host, links: links)
        let container = ContainerCommands(host: host, offersNames: offersNames)
        let live = LiveCommands(host: host, links: links)
        let own = OwnCommands(host: host)
        func commands(_ subject: Subject, _ actions: [Action]...) -> [Command] {
            actions.joined().map { Command(subject: subject, action: $0) }
        }
        all =
            commands(.navigate, navigation.all, [own.actions], navigation.nav)
            + commands(
                .modules, [own.modules, own.module], ModuleCommands(host: host).all,
                ExplainCommands(host: host).all)
            + commands(
                .data, MockCommands(host: host, offersNames: offersNames).all, APICommands(host: host).all)
            + commands(.inspect, container.all, [own.health])
            + commands(.shell, [own.help], live.all, [own.exit])
    }

    var actions: [Action] { all.map(\.action) }
}

/// The commands that belong to no other group.
@MainActor
private struct OwnCommands {
    let host: ShellHost

    var help: Action {
        Action(
            "help", "List the commands, or explain a command, action, link or module", effect: .reads,
            Argument<String?>("name", "What to explain"),
            Argument<String?>("of", "The second word of a command of two words")
        ) { name, part in
            let words = [name, part].compactMap { $0 }
            let help = Help(host: host, commands: HostCommands(host: host).all)
            if words.isEmpty { return .content(help.overview) }
            return .content(try help.content(about: words.joined(separator: " ")))
        }
    }

    var modules: Action {
        Action(
            "modules", "List modules and their state", effect: .reads,
            Argument("tree", "Show which module requires which", default: false)
        ) { isTree in
            if isTree { return .content(ModuleViews.tree(host.runtime.modules)) }
            return .content(ModuleViews.list(host.runtime.modules, environment: host.environment))
        }
    }

    var module: Action {
        Action(
            "module", "Show a module and the reason for its state", effect: .reads,
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

    var actions: Action {
        Action("actions", "List the actions of the current screen", effect: .reads) {
            try await host.coordinator.loadCurrentModule()
            if let arrival = try await host.coordinator.evaluateCurrentGuards() {
                return .updated(RedirectViews.message(arrival))
            }
            let actions = try host.coordinator.currentScreen()?.view.actions ?? []
            return .content(
                Content {
                    if actions.isEmpty {
                        Notice(.information, "'\(host.currentLink)' has no actions.", hint: "links")
                    }
                    ActionViews.numbered(actions)
                })
        }
    }

    var health: Action {
        Action("health", "Run the health checks of all modules", effect: .reads) {
            let report = try await HealthReport(host.runtime.container)
            guard report.failures == 0 else { throw HealthError(report) }
            return .content(report.content)
        }
    }

    var exit: Action {
        Action(HostCommands.exit, "End the session; everything is kept", effect: .navigates) {
            .content(Content())
        }
    }
}
