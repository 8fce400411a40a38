@_spi(Host) internal import AtriumKit
internal import AtriumManifest

extension ModuleRuntime {
    /// What a change would do; nothing is loaded, tried or written.
    ///
    /// - Throws: What is wrong with the request.
    package func plan(_ request: ChangeRequest) throws -> ChangePlan {
        plan(try NextModules(request, of: self))
    }

    /// Carries out a change: all of it, or nothing.
    ///
    /// Changes run one after the other. Commands go on meanwhile: nothing they see changes before everything
    /// is ready, and then all at once.
    ///
    /// - Returns: What was done.
    /// - Throws: ``ModuleError`` that says which module failed in which step; everything is as it was then.
    package func change(_ request: ChangeRequest) async throws -> ChangeReport {
        await enterChange()
        defer { leaveChange() }
        let start = ContinuousClock.now
        do {
            let leaving = request.removals.compactMap { module($0)?.configured }
            var report = try await attempt(request)
            report.duration = .now - start
            // What modules.json says of them is there again when they return.
            for configured in leaving { removed[configured.name] = configured }
            let plan = report.plan
            note(plan, request, took: report.duration)
            return report
        } catch {
            note(failureOf: request, error)
            throw error
        }
    }

    /// Carries a change out; anew where something was loaded on demand meanwhile, so that it was prepared in vain.
    private func attempt(_ request: ChangeRequest, again count: Int = 3) async throws -> ChangeReport {
        let next = try NextModules(request, of: self)
        let plan = plan(next)
        try await tryNew(next, isAsked: request.cause == .command || request.cause == .demand)
        try Task.checkCancellation()
        do {
            return ChangeReport(plan: plan, warnings: try await carryOut(next))
        } catch let error as RegistrationError where error.code == .outdated && count > 0 {
            return try await attempt(request, again: count - 1)
        }
    }

    private func carryOut(_ next: NextModules) async throws -> [String] {
        let transaction = Transaction(next, of: self)
        self.transaction = transaction
        defer { self.transaction = nil }
        let leaving: [Generation]
        do {
            try await transaction.prepare()
            try Task.checkCancellation()
            leaving = try transaction.publish()
        } catch {
            self.transaction = nil
            await transaction.undo()
            throw error
        }
        self.transaction = nil
        for (module, generation) in transaction.demanded { await activateLate(generation, of: module) }
        let overdue = await stop(leaving)
        withExtendedLifetime(transaction) {}
        return overdue
    }

    /// Stops the generations that have left; what they ask meanwhile, they ask in the state they knew.
    private func stop(_ leaving: [Generation]) async -> [String] {
        var overdue: [String] = []
        for generation in leaving { overdue += await stop(generation) }
        return overdue.map { "\($0) did not end within \(stepLimit.components.seconds) s." }
    }

    // MARK: - Trying what is new

    /// Tries what is new here; where a person asks for it, also what took too long the last time.
    private func tryNew(_ next: NextModules, isAsked: Bool) async throws {
        guard let preflight else { return }
        let arriving = next.arrivals.map(\.candidate)
        if isAsked { arriving.forEach(preflight.forgetHang) }
        let known = arriving.compactMap { candidate -> ModuleError? in
            if case .refused(let error)? = preflight.verdict(of: candidate) { error } else { nil }
        }
        if let error = ModuleError.all(known) { throw error }
        let new = arriving.filter { preflight.verdict(of: $0) == nil }
        guard !new.isEmpty else { return }
        let leaving = Set(next.departures.map(\.module.name) + arriving.map(\.name))
        let related = related(to: arriving)
        let staying = started.filter { !leaving.contains($0.name) && related.contains($0.name) }
            .compactMap { $0.current?.candidate }
        let refusals = try await preflight.run(staying + arriving, new: new, configuration: configuration)
        if let error = ModuleError.all(new.compactMap { refusals[$0.name] }) { throw error }
    }

    /// The modules that arriving ones require, and those that require them, through any number of others.
    private func related(to arriving: [Candidate]) -> Set<String> {
        var related: Set<String> = []
        var manifests: [String: ModuleManifest] = [:]
        for module in modules { manifests[module.name] = module.manifest }
        for candidate in arriving { manifests[candidate.name] = candidate.manifest }
        func include(_ name: String) {
            guard related.insert(name).inserted else { return }
            for requirement in manifests[name]?.requires ?? [] { include(requirement.name) }
        }
        var dependents = Set(arriving.map(\.name))
        var isComplete = false
        while !isComplete {
            let more = manifests.filter { name, manifest in
                !dependents.contains(name) && manifest.requires.contains { dependents.contains($0.name) }
            }.keys
            dependents.formUnion(more)
            isComplete = more.isEmpty
        }
        for name in dependents { include(name) }
        return related
    }

    // MARK: - One after the other

    private func enterChange() async {
        while isChanging {
            await withCheckedContinuation { waitingForChange.append($0) }
        }
        isChanging = true
    }

    private func leaveChange() {
        isChanging = false
        let waiting = waitingForChange
        waitingForChange = []
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - The plan

    private func plan(_ next: NextModules) -> ChangePlan {
        var plan = ChangePlan()
        for departure in next.departures {
            plan.steps.append(
                ChangePlan.Step(
                    kind: departure.isRemoved ? .remove : .stop, module: departure.module.name,
                    from: departure.module.current?.version.description, to: nil, reason: departure.reason))
        }
        for module in modules where module.current == nil && !next.list.contains(where: { $0 === module }) {
            plan.steps.append(
                ChangePlan.Step(
                    kind: .remove, module: module.name, from: module.manifest?.version.description, to: nil,
                    reason: "it is removed"))
        }
        for arrival in next.arrivals { plan.steps.append(step(arrival)) }
        for (module, candidate) in next.settled {
            let reason = next.waiting[module.name]
            plan.steps.append(
                ChangePlan.Step(
                    kind: reason == nil ? .install : .wait, module: module.name,
                    from: module.manifest?.version.description, to: "\(candidate.version)",
                    reason: reason ?? "it is loaded when it is first wanted", digest: candidate.digest))
        }
        let change = effect(of: next)
        plan.rebuilt = change.affected.filter { $0.layer != .screen }.map(\.name)
        plan.places = site.places(affectedBy: change)
        return plan
    }

    private func step(_ arrival: NextModules.Arrival) -> ChangePlan.Step {
        ChangePlan.Step(
            kind: arrival.replaces ? .replace : .load, module: arrival.module.name,
            from: arrival.module.current?.version.description, to: "\(arrival.candidate.version)",
            reason: arrival.reason,
            isTried: preflight != nil && preflight?.verdict(of: arrival.candidate) == nil,
            digest: arrival.candidate.digest)
    }

    /// What the container would let go of, found aside.
    private func effect(of next: NextModules) -> ContainerChange {
        let staged = StagedChange(of: container)
        defer { staged.discard() }
        for module in next.departures.map(\.module) + next.arrivals.map(\.module) {
            if let generation = module.current { staged.remove(generation.scope) }
        }
        return staged.plan
    }
}

extension ModuleRuntime {
    /// The library of a module as it is to be loaded: the one that was checked, or the one that lies there.
    func candidate(of module: Module) throws -> Candidate {
        if let candidate = module.candidate { return candidate }
        if module.discovered == nil {
            let path = try reader.locate(module.name, path: module.configured.path)
            module.discovered = try reader.discover(path)
        }
        try check(module)
        // Of a module that is loaded when it is first wanted, this is found out only now.
        if case .quarantined = module.state { throw ModuleError.notActive(module.name, state: module.state) }
        guard let candidate = module.candidate else {
            preconditionFailure("A library that was checked is a candidate.")
        }
        return candidate
    }

    /// Reads and checks libraries, for a request.
    ///
    /// - Throws: What is wrong with the first; nothing of it has run.
    package func candidates(at paths: [String]) throws -> [Candidate] {
        try renewTrust()
        return try paths.map { try reader.candidate(at: $0) }
    }

    /// The library that lies where the one of a module was found, where it is another one.
    ///
    /// - Returns: Nil where it is the one that is loaded.
    /// - Throws: ``ModuleError`` where it can't be read or used.
    package func newer(_ name: String) throws -> Candidate? {
        guard let module = module(name) else {
            throw ModuleError.unknown(name, known: modules.map(\.name))
        }
        let path = try module.path ?? reader.locate(name, path: module.configured.path)
        try renewTrust()
        let candidate = try reader.candidate(at: path)
        guard candidate.name == name else {
            throw ModuleError.otherName(path, configured: name, found: candidate.name)
        }
        if module.current == nil, case .resolved = module.state {
            // One that is loaded on demand is taken as it lies there when it is first wanted.
            return candidate.manifest == module.manifest ? nil : candidate
        }
        return candidate.digest == module.digest && module.state.isAvailable ? nil : candidate
    }

    /// What `module rollback` of a module asks for.
    package func rollback(_ name: String) throws -> ChangeRequest {
        guard let module = module(name) else {
            throw ModuleError.unknown(name, known: modules.map(\.name))
        }
        guard let previous = module.previous else { throw ModuleError.nothingBefore(name) }
        var request = ChangeRequest(.rollback)
        request.updates = [previous]
        return request
    }
}
