@_spi(Host) internal import AtriumKit
internal import AtriumRuntime
internal import AtriumText

/// The commands that change the set of modules, each as one transaction, and explain it.
extension HostCommands {
    var plan: Argument<Bool> {
        Argument("plan", "Show the plan without changing anything", default: false)
    }

    private var withoutState: Argument<Bool> {
        Argument(
            "without-state", "Go on without the state that can't be handed over; it is kept", default: false)
    }

    private var module: Argument<String> { Argument("name", "The module", suggestions: moduleNames) }

    @ActionsBuilder var moduleChanges: [Action] {
        Action(
            "module add", "Add modules: libraries, folders of them, or packages to build", effect: .changes,
            Argument<[String]>("path", "A library, a folder with libraries, or a SwiftPM package"), plan
        ) { paths, isPlan in
            try await run(.add(try paths.map(scene.path)), isPlan)
        }
        Action(
            "module update", "Load the new builds of modules; of all modules unless named", effect: .changes,
            Argument<[String]>("name", "The modules", default: [], suggestions: moduleNames), plan,
            withoutState
        ) { names, isPlan, withoutState in
            try await run(.update(names, withoutState: withoutState), isPlan)
        }
        Action(
            "module remove", "Stop modules and remove them from the list", effect: .changes,
            Argument<[String]>("name", "The modules", suggestions: moduleNames), plan
        ) { names, isPlan in
            try await run(.remove(names), isPlan)
        }
        Action(
            "module rollback", "Return to the build of a module before the last update", effect: .changes,
            module, plan, withoutState,
            Argument("restore-data", "Put the data back that it had before it was migrated", default: false)
        ) { name, isPlan, withoutState, restoresData in
            try await run(.rollback(name, withoutState: withoutState, restoresData: restoresData), isPlan)
        }
        Action(
            "module restore-state", "Give a module its kept state instead of the present one",
            effect: .changes, module
        ) { name in
            try host.changes.restoreState(of: name)
            return .content(
                Content {}, "Module '\(name)' has its kept state back.")
        }
        Action(
            "module start", "Start a module that is loaded on demand, or failed", effect: .changes, module
        ) { name in
            try await run(.start(name), unchanged: "Module '\(name)' is active.")
        }
        Action(
            "module watch", "Update modules whenever a build replaces their libraries", effect: .changes,
            Argument<OnOrOff>("switch", "Whether to watch", default: .on)
        ) { isOn in
            try host.changes.watch(isOn == .on)
            return .content(
                Content {
                    Field("watching", host.changes.isWatching)
                    if host.changes.isWatching {
                        Table(host.changes.watched) { Column("library") { $0 } }
                    }
                })
        }
        Action("module release", "Lift the quarantine of a module and start it", effect: .changes, module) {
            name in
            if let module = host.runtime.module(name), !module.isQuarantined {
                throw ShellError(
                    .notFound, "Module '\(name.shortened)' is not quarantined.",
                    hint: "why \(name.shortened)")
            }
            return try await run(.release(name))
        }
        Action(
            "module retry", "Try a module again that was refused in its trial, and start it",
            effect: .changes,
            Argument<String>("name", "The module", suggestions: moduleNames)
        ) { name in
            try await run(.retry(name), unchanged: "Module '\(name.shortened)' is active.")
        }
        Action(
            "module bisect", "Find the modules that cause the last crash", effect: .reads,
            Argument<String?>("commands", "Commands to run instead of the one that crashed")
        ) { commands in
            .content(ChangeViews.bisect(try await host.changes.bisect(commands)))
        }
    }

    func run(
        _ command: ModuleCommand, _ isPlan: Bool = false, unchanged: String = "Already up to date."
    ) async throws -> ActionResult {
        if isPlan {
            let plan = try await host.changes.plan(command)
            return .content(ChangeViews.plan(plan), plan.steps.isEmpty ? unchanged : nil)
        }
        let report = try await host.changes.run(command)
        if report.plan.steps.isEmpty { return .content(Content {}, unchanged) }
        let sentence = ChangeViews.sentence(report)
        host.announce(sentence, except: scene)
        return .content(ChangeViews.report(report), sentence)
    }

    @ActionsBuilder var explanations: [Action] {
        Action(
            "why", "Explain why the last command failed, or the state of a module", effect: .reads,
            Argument<String?>("name", "The module; without it, the last command", suggestions: moduleNames)
        ) { name in
            if let name { return .content(ExplainViews.why(try host.runtime.explain(name))) }
            return .content(ExplainViews.chain(scene.lastFailure))
        }
        Action(
            "what-if remove", "Show what removing modules would affect", effect: .reads,
            Argument<[String]>("name", "The modules", suggestions: moduleNames)
        ) { names in
            .content(ChangeViews.plan(try await host.changes.plan(.remove(names))))
        }
        Action(
            "events", "List what happened to the modules, newest last", effect: .reads,
            Argument<String?>("module", "Show events of this module only", suggestions: moduleNames),
            Argument("limit", "How many at most", default: 20),
            Argument("all", "Of all hosts that use the same database", default: false)
        ) { module, limit, isOfAll in
            guard limit > 0 else {
                throw ArgumentError(
                    .invalidArgument, "'limit' of 'events' must be 1 or more, not '\(limit)'.",
                    hint: "events --limit 20")
            }
            if isOfAll {
                let events = try await theGroup().events(of: module, limit: min(limit, 10_000))
                return .content(EventViews.list(events))
            }
            let events = host.runtime.journal.events().filter { module == nil || $0.module == module }
            return .content(EventViews.list(events.suffix(limit), of: events.count))
        }
    }
}

enum OnOrOff: String, CaseIterable, ArgumentValue { case on, off }
