@_spi(Host) internal import AtriumKit

extension ModuleRuntime {
    /// Notes which modules the host started with, and which not, in one write.
    func noteStart() {
        var events = started.compactMap { module in
            module.current.map { journal.event("started", $0) }
        }
        for module in modules where module.current == nil {
            // That a module is quarantined was noted when it began.
            guard let reason = module.state.reason, module.quarantine == nil else { continue }
            events.append(journal.event(module.state.name, module: module.name, reason))
        }
        if !events.isEmpty { journal.append(events) }
    }

    /// Notes what a change did.
    func note(_ plan: ChangePlan, _ request: ChangeRequest, took duration: Duration) {
        let events = plan.steps.map { step -> JournalEvent in
            let kind = step.kind.past
            if let generation = module(step.module)?.current, step.to != nil {
                return journal.event(kind, generation, step.reason, took: duration)
            }
            return journal.event(kind, module: step.module, step.reason, took: duration)
        }
        if !events.isEmpty { journal.append(events) }
    }

    /// Notes why a change did not happen.
    func note(failureOf request: ChangeRequest, _ error: any Error) {
        let names = (request.additions + request.updates).map(\.name) + request.removals + request.demands
        let message = (error as? any ExplainedError)?.message ?? "\(type(of: error))"
        let kind = error is CancellationError ? "cancelled" : "refused"
        journal.append(names.map { journal.event(kind, module: $0, message) })
    }
}

extension ChangePlan.Kind {
    /// The step as something that happened.
    var past: String {
        switch self {
        case .load: "loaded"
        case .replace: "replaced"
        case .stop: "stopped"
        case .remove: "removed"
        case .install: "installed"
        case .wait: "waiting"
        }
    }
}
