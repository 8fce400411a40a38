@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumRuntime

/// The commands that change which modules there are, each one transaction.
@MainActor
struct ModuleCommands {
    let host: ShellHost

    var all: [Action] { [add, update, remove, rollback, start, watch, release, bisect] }

    private var runtime: ModuleRuntime { host.runtime }
    private var names: [String] { runtime.modules.map(\.name) }

    private var add: Action {
        Action(
            "module add", "Adds modules: libraries, folders of them, or packages to build", effect: .changes,
            Argument<[String]>("path", "A library, a folder with libraries, or a SwiftPM package"),
            Argument("plan", "Only tell what would be done", default: false)
        ) { paths, isPlan in
            let request = try await host.changes.additions(at: paths)
            guard !request.isEmpty else {
                return .content(Content {}, "What was built is what is loaded; nothing to do.")
            }
            return try await carryOut(request, onlyPlan: isPlan)
        }
    }

    private var update: Action {
        Action(
            "module update",
            "Replaces modules by what lies at their paths now; all that changed unless named",
            effect: .changes,
            Argument<[String]>("name", "The modules", default: [], suggestions: names),
            Argument("plan", "Only tell what would be done", default: false)
        ) { wanted, isPlan in
            var request = ChangeRequest()
            let chosen = wanted.isEmpty ? runtime.modules.filter { $0.path != nil }.map(\.name) : wanted
            for name in chosen {
                if let candidate = try runtime.newer(name) { request.updates.append(candidate) }
            }
            guard !request.updates.isEmpty else {
                let what = wanted.isEmpty ? "Every module" : wanted.joined(separator: ", ")
                return .content(Content {}, "\(what) is as it lies on disk; nothing to do.")
            }
            return try await carryOut(request, onlyPlan: isPlan)
        }
    }

    private var remove: Action {
        Action(
            "module remove", "Stops modules and takes them off the list", effect: .changes,
            Argument<[String]>("name", "The modules", suggestions: names),
            Argument("plan", "Only tell what would be done", default: false)
        ) { names, isPlan in
            try await carryOut(try removal(of: names), onlyPlan: isPlan)
        }
    }

    private var rollback: Action {
        Action(
            "module rollback", "Returns to the build of a module before the last update", effect: .changes,
            Argument<String>("name", "The module", suggestions: names),
            Argument("plan", "Only tell what would be done", default: false)
        ) { name, isPlan in
            try await carryOut(try runtime.rollback(name), onlyPlan: isPlan)
        }
    }

    private var start: Action {
        Action(
            "module start", "Starts a module that is loaded on demand, or failed", effect: .changes,
            Argument<String>("name", "The module", suggestions: names)
        ) { name in
            var request = ChangeRequest(.demand)
            guard let module = runtime.module(name) else {
                throw CommandError.unknownModule(name, known: names)
            }
            guard !module.state.isActive else { return .content(Content {}, "Module '\(name)' is active.") }
            request.demands = [name]
            return try await carryOut(request, onlyPlan: false)
        }
    }

    private var watch: Action {
        Action(
            "module watch", "Updates modules as soon as a build has replaced their libraries",
            effect: .changes,
            Argument<WatchSwitch?>("switch", "Whether to watch; without it, from now on")
        ) { wanted in
            try host.changes.watch((wanted ?? .on) == .on)
            return .content(
                Content {
                    Field("watching", host.changes.isWatching)
                    if host.changes.isWatching {
                        Table(host.changes.watched, key: "libraries") { Column("library") { $0 } }
                    }
                })
        }
    }

    private var release: Action {
        Action(
            "module release", "Lifts a module's quarantine and starts it", effect: .changes,
            Argument<String>("name", "The module", suggestions: names)
        ) { name in
            guard let module = runtime.module(name) else {
                throw CommandError.unknownModule(name, known: names)
            }
            guard case .quarantined = module.state else { throw CommandError.notQuarantined(name) }
            var request = ChangeRequest(.command)
            request.demands = [name]
            host.changes.release(name)
            return try await carryOut(request, onlyPlan: false)
        }
    }

    private var bisect: Action {
        Action(
            "module bisect", "Finds out which modules it takes for the last crash to happen", effect: .reads,
            Argument<String?>("commands", "What to run instead of the command that crashed")
        ) { commands in
            .content(BisectViews.content(try await host.changes.bisect(commands)))
        }
    }

    /// What `module remove` asks for.
    private func removal(of names: [String]) throws -> ChangeRequest {
        var request = ChangeRequest()
        for name in names {
            guard runtime.module(name) != nil else {
                throw CommandError.unknownModule(name, known: self.names)
            }
            if !request.removals.contains(name) { request.removals.append(name) }
        }
        return request
    }

    private func carryOut(_ request: ChangeRequest, onlyPlan: Bool) async throws -> ActionResult {
        if onlyPlan { return .content(ChangeViews.plan(try runtime.plan(request))) }
        let report = try await host.changes.carryOut(request)
        return .content(ChangeViews.report(report), ChangeViews.sentence(report))
    }
}

enum WatchSwitch: String, CaseIterable, ArgumentValue {
    case on, off
}
