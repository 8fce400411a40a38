internal import AtriumKit
internal import AtriumRuntime

/// The commands that explain the modules, and what would happen to them.
@MainActor
struct ExplainCommands {
    let host: ShellHost

    var all: [Action] { [why, whatIf, events] }

    private var names: [String] { host.runtime.modules.map(\.name) }

    private var why: Action {
        Action(
            "why", "Explain why the last command failed, or the state of a module", effect: .reads,
            Argument<String?>("name", "The module; without it, the last command", suggestions: names)
        ) { name in
            if let name { return .content(ExplainViews.why(try host.runtime.explain(name))) }
            return .content(FailureViews.chain(host.lastFailure.command, host.lastFailure.error))
        }
    }

    private var whatIf: Action {
        Action(
            "what-if remove", "Show what removing modules would affect", effect: .reads,
            Argument<[String]>("name", "The modules", suggestions: names)
        ) { names in
            .content(ChangeViews.plan(try await host.changes.plan(.remove(names))))
        }
    }

    private var events: Action {
        Action(
            "events", "List what happened to the modules, newest last", effect: .reads,
            Argument<String?>("module", "Show events of this module only", suggestions: names),
            Argument("limit", "How many at most", default: 20)
        ) { module, limit in
            let events = host.runtime.journal.events().filter { module == nil || $0.module == module }
            return .content(ExplainViews.events(events.suffix(max(0, limit))))
        }
    }
}
