internal import AtriumKit
internal import AtriumRuntime

/// The commands that change the set of modules, each as one transaction.
@MainActor
struct ModuleCommands {
    let host: ShellHost

    var all: [Action] { [add, update, remove, rollback, start, watch, release, bisect] }

    private var names: [String] { host.runtime.modules.map(\.name) }

    private var add: Action {
        Action(
            "module add", "Add modules: libraries, folders of them, or packages to build", effect: .changes,
            Argument<[String]>("path", "A library, a folder with libraries, or a SwiftPM package"),
            planArgument
        ) { paths, isPlan in
            try await run(.add(paths), isPlan)
        }
    }

    private var update: Action {
        Action(
            "module update", "Load the new builds of modules; of all modules unless named", effect: .changes,
            Argument<[String]>("name", "The modules", default: [], suggestions: names), planArgument
        ) { names, isPlan in
            try await run(.update(names), isPlan)
        }
    }

    private var remove: Action {
        Action(
            "module remove", "Stop modules and remove them from the list", effect: .changes,
            Argument<[String]>("name", "The modules", suggestions: names), planArgument
        ) { names, isPlan in
            try await run(.remove(names), isPlan)
        }
    }

    private var rollback: Action {
        Action(
            "module rollback", "Return to the build of a module before the last update", effect: .changes,
            Argument<String>("name", "The module", suggestions: names), planArgument
        ) { name, isPlan in
            try await run(.rollback(name), isPlan)
        }
    }

    private var start: Action {
        Action(
            "module start", "Start a module that is loaded on demand, or failed", effect: .changes,
            Argument<String>("name", "The module", suggestions: names)
        ) { name in
            try await run(.start(name), unchanged: "Module '\(name)' is active.")
        }
    }

    private var release: Action {
        Action(
            "module release", "Lift the quarantine of a module and start it", effect: .changes,
            Argument<String>("name", "The module", suggestions: names)
        ) { name in
            if let module = host.runtime.module(name), !module.isQuarantined {
                throw CommandError.notQuarantined(name)
            }
            return try await run(.release(name))
        }
    }

    private var watch: Action {
        Action(
            "module watch", "Update modules whenever a build replaces their libraries", effect: .changes,
            Argument<WatchSwitch>("switch", "Whether to watch", default: .on)
        ) { isOn in
            host.changes.watch(isOn == .on)
            return .content(
                Content {
                    Field("watching", host.changes.isWatching)
                    if host.changes.isWatching {
                        Table(host.changes.watched, key: "libraries") { Column("library") { $0 } }
                    }
                })
        }
    }

    private var bisect: Action {
        Action(
            "module bisect", "Find the modules that cause the last crash", effect: .reads,
            Argument<String?>("commands", "Commands to run instead of the one that crashed")
        ) { commands in
            .content(ChangeViews.bisect(try await host.changes.bisect(commands)))
        }
    }

    private var planArgument: Argument<Bool> {
        Argument("plan", "Show the plan without changing anything", default: false)
    }

    private func run(
        _ command: ModuleCommand, _ isPlan: Bool = false, unchanged: String = "Already up to date."
    ) async throws -> ActionResult {
        if isPlan {
            let plan = try await host.changes.plan(command)
            return .content(ChangeViews.plan(plan), plan.steps.isEmpty ? unchanged : nil)
        }
        let report = try await host.changes.run(command)
        if report.plan.steps.isEmpty { return .content(Content {}, unchanged) }
        return .content(ChangeViews.report(report), ChangeViews.sentence(report))
    }
}

enum WatchSwitch: String, CaseIterable, ArgumentValue {
    case on, off
}
