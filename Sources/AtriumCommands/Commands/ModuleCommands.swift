internal import AtriumHosts
@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumViews

/// The commands that change the set of modules, each as one transaction, and explain it.
extension HostCommands {
    var plan: Argument<Bool> {
        Argument("plan", "Show the plan without changing anything", default: false)
    }

    private var withoutState: Argument<Bool> {
        Argument(
            "without-state", "Continue without the state that can't be handed over; it is kept",
            default: false)
    }

    private var module: Argument<String> { Argument("name", "The module", suggestions: moduleNames) }

    @ActionsBuilder var moduleChanges: [Action] {
        Action(
            "module add",
            "Add modules: libraries, folders of them, packages to build, or one of the repositories",
            effect: .changes,
            Argument<[String]>(
                "path",
                "A library, a folder with libraries, a SwiftPM package; or a module of the repositories, and "
                    + "'@' with a range of versions if not the newest: Notes@^1.2", suggestions: offeredNames),
            plan, Action.yes
        ) { paths, isPlan, isConfirmed in
            if paths.count > 1 {
                try await requireFiles(paths)
            } else if let path = paths.first, try await isOffered(path) {
                let (name, range) = try Self.release(path)
                return try await run(.install(name, range), isPlan, isConfirmed: isConfirmed)
            }
            return try await run(.add(try paths.map(scene.path)), isPlan, isConfirmed: isConfirmed)
        }
        Action(
            "module update", "Load the new builds of modules, of all unless named; or watch for them",
            effect: .changes,
            Argument<[String]>(
                "name", "The modules, or with a '/' the package to build, folder or library that has them",
                default: [], suggestions: moduleNames), plan, withoutState,
            Argument<OnOrOff?>("watch", "Update modules whenever a build replaces their libraries, or stop"),
            Action.yes
        ) { names, isPlan, withoutState, choice, isConfirmed in
            if let choice {
                guard names.isEmpty, !isPlan, !withoutState else {
                    throw ArgumentError(
                        .invalidArgument, "'--watch' goes with no module and no other option.",
                        hint: "module update --watch \(choice == .on ? "on" : "off")")
                }
                return .content(try watch(choice == .on))
            }
            let found = try names.map { $0.contains("/") ? try scene.path($0) : $0 }
            return try await run(
                .update(found, withoutState: withoutState), isPlan, isConfirmed: isConfirmed)
        }
        Action(
            "module remove", "Stop modules and remove them from the list", effect: .changes,
            Argument<[String]>("name", "The modules", suggestions: moduleNames), plan
        ) { names, isPlan in
            try await run(.remove(names), isPlan)
        }
        Action(
            "module rollback", "Return to a former build of a module", effect: .changes, module,
            Argument<String?>(
                "build",
                "The build's version, or the start of its digest or time, as 'why NAME' lists them; "
                    + "without it, the build before the last update"), plan, withoutState,
            Argument("restore-data", "Put the data back that it had before it was migrated", default: false)
        ) { name, build, isPlan, withoutState, restoresData in
            try await run(
                .rollback(name, to: build, withoutState: withoutState, restoresData: restoresData), isPlan)
        }
        Action(
            "module restore-state", "Give a module, or the current screen, the state kept from another build",
            effect: .changes,
            Argument<String?>("name", "The module; without it, the current screen", suggestions: moduleNames)
        ) { name in
            guard let name else {
                try scene.coordinator.restoreEarlierState()
                return .updated
            }
            try host.changes.restoreState(of: name)
            return .content(Content {}, "Module '\(name)' has its kept state back.")
        }
        Action(
            "module start", "Start a module that is loaded on demand, failed, was refused or is quarantined",
            effect: .changes, module
        ) { name in
            try await run(.start(name), unchanged: "Module '\(name)' is active.")
        }
    }

    private func watch(_ isOn: Bool) throws -> Content {
        try host.changes.watch(isOn)
        return Content {
            Field("watching", host.changes.isWatching)
            if host.changes.isWatching { Table(host.changes.watched) { Column("library") { $0 } } }
        }
    }

    func run(
        _ command: ModuleCommand, _ isPlan: Bool = false, isConfirmed: Bool = true,
        unchanged: String = "Already up to date."
    ) async throws -> ActionResult {
        if isPlan {
            let plan = try await host.changes.plan(command)
            return .content(ChangeViews.plan(plan), plan.steps.isEmpty ? unchanged : nil)
        }
        let report = try await host.changes.run(command, isConfirmed: isConfirmed)
        if report.plan.steps.isEmpty {
            let isEmpty = report.plan.contracts.isEmpty
            return .content(isEmpty ? Content {} : ChangeViews.report(report), unchanged)
        }
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
