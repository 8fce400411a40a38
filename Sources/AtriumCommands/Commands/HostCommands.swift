@_spi(Host) package import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// The host's own commands, declared like the actions of a screen.
///
/// ``all`` is the only list: help, dispatch and completion follow from it.
@MainActor
package struct HostCommands {
    /// The subject of a command; `help` lists the commands by it.
    package enum Subject: String, CaseIterable { case navigate, modules, data, explore, shell }

    package struct Command {
        package let subject: Subject
        package let action: Action
    }

    /// The command that ends the session.
    static let exit = "exit"
    package static let help = "help"
    /// The command that calls a method of a service.
    static let call = "call"
    /// Commands that were added after `ActionNames.hostCommands`: an action of the current screen with the
    /// same name takes precedence.
    static let later: Set = [
        "scenes", Assertion.word, PrefixedCommand.assignmentWord, PrefixedCommand.repetitionWord,
        PrefixedCommand.timingWord, PrefixedCommand.aliasWord, "source", "wait", "cancel", "history", "top",
        "hosts", "trace", "verify", "log", "snapshot", "seed", "stories", "swift", "inspect", "tap",
        call, "fault",
    ]
    /// Other names of commands.
    static let synonyms = ["quit": exit, "q": exit, "?": help, "doc": help, "story": "stories"]
    /// Names from other shells, and the command that does the same here, if there is one.
    static let namesElsewhere = [
        "login": "sign-in", "signin": "sign-in", "logout": "sign-out", "signout": "sign-out",
        "register": "sign-up", "ls": "links", "dir": "links", "cd": "open", "go": "open", "man": help,
        "ps": "jobs", "kill": "cancel", "set": "let", "pwd": "where", "whoami": "session", "bye": exit,
        "close": exit, "run": "source", "undo": "snapshot undo",
        // Removed after 0.5.0.
        "link": "where", "pop": "back", "unalias": "alias", "unwatch": "watch", "viewport": "scenes",
    ]
    /// Commands whose output is not a table from which columns could be chosen.
    package static let withOwnOutput: Set = ["live", "watch"]
    /// Commands that run code of the user, for which reading and changing is not enough.
    static let runningCode: Set = ["swift"]
    /// Commands that change the data of modules, which `snapshot undo` takes back like the actions of screens.
    static let changingData: Set = ["seed", call, "swift"]
    /// Commands that leave the last result as it is.
    static let withoutResult: Set = [
        Assertion.word, "source", PrefixedCommand.aliasWord, "wait", "cancel",
    ]

    /// The effects of forms that do less than their command; a form that is not listed has the command's.
    package static let milderForms: [String: @Sendable (ArgumentValues) -> Action.Effect?] = [
        // Excludes the plans of 'add', 'update' and 'upgrade', which fetch, build or try code.
        "module remove": reading { $0.isOn("plan") },
        "module rollback": reading { $0.isOn("plan") },
        "module configure": reading { $0.isOn("plan") || $0["value"] == nil && $0["reset"] == nil },
        "module rollout": reading { ($0["name"].map { Int($0) != nil } ?? true) && !$0.isOn("abort") },
        "mock": reading { !$0.isOn("reset") && !$0.isOn("stop") && $0["file"] == nil },
        "trace": reading { $0["detail"] == nil },
        "log level": reading { $0["level"] == nil },
        "seed": reading { $0["name"] == nil },
        call: reading { $0["method"] == nil },
        "fault": reading { $0["service"] == nil && !$0.isOn("end") },
        "snapshot": { $0["step"].flatMap(SnapshotStep.init)?.effect ?? .reads },
    ]

    private static func reading(
        _ isForm: @escaping @Sendable (ArgumentValues) -> Bool
    ) -> @Sendable (ArgumentValues) -> Action.Effect? {
        { isForm($0) ? .reads : nil }
    }

    let scene: Scene
    /// True if arguments carry their completion candidates, which take time to collect.
    var offersNames = false
    /// The words before the one being completed.
    var typed: [String] = []

    package init(scene: Scene, offersNames: Bool = false, typed: [String] = []) {
        (self.scene, self.offersNames, self.typed) = (scene, offersNames, typed)
    }

    var host: ShellHost { scene.host }

    package var all: [Command] {
        Subject.allCases.flatMap { subject in
            actions(of: subject).map { Command(subject: subject, action: $0) }
        }
    }

    /// The effect of a command with these arguments.
    package static func effect(of action: Action, _ values: ArgumentValues) -> Action.Effect {
        milderForms[action.name]?(values) ?? action.effect
    }

    func actions(of subject: Subject) -> [Action] {
        switch subject {
        case .navigate: navigation
        case .modules: modules + moduleChanges + configuration + repositories + rollouts + explanations
        case .data: backups + snapshots + seeds + stories + mocks + api
        case .explore: inspection + log + swift + calls + scenes + group + usage
        case .shell: shell
        }
    }

    var actions: [Action] { all.map(\.action) }

    var links: [String] { offersNames ? scene.knownLinks.map(\.suggestion) : [] }

    var moduleNames: [String] { host.runtime.modules.map(\.name) }

    @ActionsBuilder private var modules: [Action] {
        Action(
            "modules", "List modules and their state", effect: .reads,
            Argument("tree", "Show which module requires which", default: false),
            Argument("cost", "Show the time and memory that each takes", default: false), dotSwitch, svgSwitch
        ) { isTree, isCost, isDOT, isSVG in
            let modules = host.runtime.modules
            if isCost {
                return .content(
                    ModuleViews.costs(of: modules, host.runtime, firstScreens: host.usage.firstScreens))
            }
            if isTree || isDOT || isSVG {
                return try await graph(ModuleViews.tree(modules), ModuleViews.dot(modules), isDOT, isSVG)
            }
            return .content(ModuleViews.list(modules, environment: host.environment))
        }
        Action(
            "module", "Show a module and the reason for its state, or query its database", effect: .reads,
            Argument<String>("name", "The module", suggestions: moduleNames),
            Argument<String?>("sql", "Run a read-only query in its database: SELECT …"),
            Argument("tables", "List the tables of its database", default: false),
            Argument("explain", "Show how the database would run the query instead", default: false),
            Argument<Int?>("limit", "The maximum number of rows; default: 100")
        ) { name, sql, tables, explains, limit in
            let module = try module(name)
            try checkQuery(sql, limit, explains: explains, tables: tables, of: module)
            if sql != nil || tables {
                return .content(try await answer(sql, limit: limit, explains: explains, of: module))
            }
            return .content(
                ModuleViews.detail(
                    module, environment: host.environment, generations: host.runtime.generations(of: module),
                    configuration: host.runtime.configuration(of: module),
                    contracts: host.runtime.contracts(of: module), uses: host.runtime.uses(of: module),
                    reach: (module.current?.library ?? module.library).flatMap {
                        try? host.runtime.reach(of: $0)
                    }))
        }
    }

    /// - Throws: ``ShellError`` if there is no module of that name.
    func module(_ name: String) throws -> Module {
        guard let module = host.runtime.module(name) else {
            if let error = host.runtime.isContract(name) { throw error }
            throw ShellError.unknown(
                .unknownModule, name, among: moduleNames, else: "'modules' lists them."
            ) { "There is no module '\($0)'." }
        }
        return module
    }

    /// - Throws: ``ShellError`` unless the host runs in the needed environment.
    func require(_ needed: Environment, _ what: String) throws {
        guard host.environment != needed else { return }
        throw ShellError(
            "wrongEnvironment",
            "\(what) in environment \(needed.rawValue) only; this is \(host.environment.rawValue).",
            hint: "atrium --env \(needed.rawValue)")
    }
}

extension ArgumentValues {
    func isOn(_ name: String) -> Bool { self[name] == "yes" }
}
