@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumRuntime

/// The commands that say why modules are as they are, and what would happen.
@MainActor
struct ExplainCommands {
    let host: ShellHost

    var all: [Action] { [why, whatIf, events] }

    private var runtime: ModuleRuntime { host.runtime }
    private var names: [String] { runtime.modules.map(\.name) }

    private var why: Action {
        Action(
            "why", "Says why the last command failed, layer by layer, or why a module is as it is",
            effect: .reads,
            Argument<String?>("name", "The module; nothing for the last command", suggestions: names)
        ) { name in
            if let name { return .content(ExplainViews.why(try runtime.explain(name))) }
            return .content(FailureViews.chain(host.lastFailure.command, host.lastFailure.error))
        }
    }

    private var whatIf: Action {
        Action(
            "what-if remove", "Tells what removing modules would stop, rebuild and leave waiting",
            effect: .reads, Argument<[String]>("name", "The modules", suggestions: names)
        ) { names in
            var request = ChangeRequest()
            for name in names {
                guard runtime.module(name) != nil else {
                    throw CommandError.unknownModule(name, known: self.names)
                }
            }
            request.removals = names.uniqued
            return .content(ChangeViews.plan(try runtime.plan(request)))
        }
    }

    private var events: Action {
        Action(
            "events", "Lists what happened to the modules, newest last", effect: .reads,
            Argument<String?>("module", "Only this module", suggestions: names),
            Argument("limit", "How many at most", default: 20)
        ) { module, limit in
            let events = runtime.journal.events().filter { module == nil || $0.module == module }
            return .content(ExplainViews.events(events.suffix(max(0, limit))))
        }
    }
}
