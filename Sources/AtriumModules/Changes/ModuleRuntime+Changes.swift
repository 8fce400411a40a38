internal import AtriumCrash
@_spi(Host) internal import AtriumKit
package import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// Carries out a change completely or not at all.
    ///
    /// Changes run one at a time. Commands run in between and see no change until everything is ready, then
    /// all of it at once.
    ///
    /// - Throws: ``ModuleError`` that names the module and the step that failed; nothing has changed then.
    func change(_ request: ChangeRequest) async throws -> ChangeReport {
        await beginChange()
        journal.begin(request.cause)
        defer {
            journal.end()
            endChange()
        }
        let leaving = request.removals.compactMap { module($0)?.configured }
        let report = try await perform(request) { try ResolvedChange(request, of: self) }
        // Their modules.json entries apply again when they are re-added.
        for configured in leaving { removed[configured.name] = configured }
        return report
    }

    /// Carries out a change and records it; repeats it if a module was loaded on demand during preparation.
    ///
    /// `resolve` determines the effects of the change in the present state.
    func perform(
        _ request: ChangeRequest, _ resolve: () throws -> ResolvedChange
    ) async throws -> ChangeReport {
        let start = ContinuousClock.now
        var attempts = 1
        while true {
            do {
                let transaction = try await stage(resolve())
                var report = ChangeReport(plan: plan(transaction))
                try await transaction.run()
                report.plan.keep(only: transaction.published, transaction.affectedScreens)
                report.events = transaction.events
                report.duration = .now - start
                record(report.plan, took: report.duration)
                return report
            } catch let error as RegistrationError where error.code == .outdated && attempts < 4 {
                attempts += 1
            } catch {
                record(failureOf: request, error)
                throw error
            }
        }
    }

    /// Tries new libraries, and stages a resolved change.
    func stage(_ change: ResolvedChange) async throws -> Transaction {
        var change = try await withLibraries(change)
        try await tryNewLibraries(of: &change)
        try Task.checkCancellation()
        let transaction = Transaction(change, of: self)
        do {
            try transaction.bind()
        } catch {
            transaction.staged.discard()
            throw error
        }
        return transaction
    }

    // MARK: - Libraries

    /// Copies and checks the libraries that a change needs, and their contracts.
    ///
    /// Copies and digests off the main actor. A library with a known identity, the usual case at start-up, is
    /// checked at once: switching threads would cost more than the check.
    private func withLibraries(_ change: ResolvedChange) async throws -> ResolvedChange {
        var change = change
        var failures: [(module: Module, error: any Error)] = []
        for module in change.arrivals.filter({ $0.library == nil }).map(\.module) {
            do {
                let library = try await reader.checkConcurrently(
                    takeDiscovered(module), rollback: module.rolledBack)
                try checkQuarantine(of: module, library)
                change.setLibrary(library, of: module)
                if change.request.cause == .startUp { module.setLibrary(library) }
            } catch {
                failures.append((module, error))
            }
        }
        for arrival in change.arrivals {
            guard let library = arrival.library else { continue }
            do {
                try refuseSystemCalls(of: library, in: change.request)
            } catch {
                failures.append((arrival.module, error))
            }
        }
        try change.leaveOut(failures)
        try await findContracts(of: &change)
        return change
    }

    /// Checks that a module is not quarantined; a build other than the harmful one may run.
    func checkQuarantine(of module: Module, _ library: CheckedLibrary) throws {
        guard let quarantine = module.quarantine else { return }
        guard quarantine.digest == nil || quarantine.digest == library.digest else {
            module.quarantine = nil
            return
        }
        module.state = .quarantined(quarantine.reason + ".")
        removeBound(to: module)
        throw ModuleError.notActive(module.name, state: module.state)
    }

    /// Reads and checks libraries, off the main actor.
    ///
    /// - Throws: The first library's error.
    package func libraries(at paths: [String]) async throws -> [CheckedLibrary] {
        try renewTrust()
        return try await reader.inBackground { reader in try paths.map { try reader.library(at: $0) } }
    }

    /// The libraries at the modules' paths that differ from the loaded ones.
    ///
    /// - Throws: ``ModuleError`` if one can't be read or used.
    func newerLibraries(of modules: [Module]) async throws -> [CheckedLibrary] {
        let paths = try modules.map { try $0.path ?? reader.locate($0.name, path: $0.configured.path) }
        return try await zip(modules, libraries(at: paths)).compactMap { module, library in
            guard library.name == module.name else {
                throw module.otherName(library.name, at: library.source)
            }
            if module.current == nil, case .resolved = module.state {
                // A module on demand is read from its path on loading.
                return library.manifest == module.manifest ? nil : library
            }
            return library.digest == module.digest && module.state.isAvailable ? nil : library
        }
    }

    // MARK: - Trying new libraries

    /// Tries the libraries that this host has not run before.
    private func tryNewLibraries(of change: inout ResolvedChange) async throws {
        restoreProcessBeforeLoading()
        guard let preflight else { return }
        let cause = change.request.cause
        let libraries = change.arrivals.compactMap(\.library)
        // A module may behave differently with another configuration.
        let reconfigured = Set(change.arrivals.filter(\.isReconfigured).map(\.module.name))
        let new = libraries.filter { preflight.verdict(of: $0) == nil || reconfigured.contains($0.name) }
        change.tried = Set(new.map(\.name))
        var refusals: [String: any Error] = [:]
        for library in libraries {
            if case .refused(let error)? = preflight.verdict(of: library) { refusals[library.name] = error }
        }
        if !new.isEmpty, refusals.isEmpty || cause == .startUp {
            let arriving = Set(libraries.map(\.name))
            let leaving = arriving.union(change.departures.map(\.module.name))
            let related = related(to: libraries)
            let staying = started.filter { !leaving.contains($0.name) && related.contains($0.name) }
                .compactMap { $0.current?.library }
            do {
                let usable = libraries.filter { refusals[$0.name] == nil }
                let tried = staying + usable
                let found = try await preflight.run(
                    tried, new: new, configuration: configuration(after: change),
                    limits: limits(of: tried, change.request),
                    keepsVerdicts: reconfigured.isEmpty && keeper?.isIncomplete != true)
                for (name, error) in found {
                    refusals[name] = reconfigured.contains(name) ? error.withConfiguration(of: name) : error
                }
            } catch  where cause == .startUp {
                for library in new { refusals[library.name] = error }
            }
        }
        try change.leaveOut(
            change.arrivals.compactMap { arrival in refusals[arrival.module.name].map { (arrival.module, $0) }
            })
    }

    /// The configuration of each module after a change.
    private func configuration(after change: ResolvedChange) -> [String: ConfiguredValues] {
        Dictionary(change.list.map { ($0.name, configured($0, after: change.request)) }) { first, _ in first }
    }

    /// The modules that arriving ones require or use, and those that require or use them, directly or through
    /// others.
    private func related(to arriving: [CheckedLibrary]) -> Set<String> {
        var related: Set<String> = []
        var manifests: [String: ModuleManifest] = [:]
        for module in modules { manifests[module.name] = module.manifest }
        for library in arriving { manifests[library.name] = library.manifest }
        func include(_ name: String) {
            guard related.insert(name).inserted else { return }
            for other in manifests[name]?.others ?? [] { include(other.name) }
        }
        var dependents = Set(arriving.map(\.name))
        var isComplete = false
        while !isComplete {
            let more = manifests.filter { name, manifest in
                !dependents.contains(name) && manifest.others.contains { dependents.contains($0.name) }
            }.keys
            dependents.formUnion(more)
            isComplete = more.isEmpty
        }
        for name in dependents { include(name) }
        return related
    }

    // MARK: - One change at a time

    /// Runs work while the modules don't change; it waits for the running change, and later ones wait for it.
    package func betweenChanges<Value>(_ work: @MainActor () async throws -> Value) async throws -> Value {
        await beginChange()
        defer { endChange() }
        try Task.checkCancellation()
        return try await work()
    }

    private func beginChange() async {
        while isChanging {
            await withCheckedContinuation { waitingChanges.append($0) }
        }
        isChanging = true
    }

    private func endChange() {
        isChanging = false
        let waiting = waitingChanges
        waitingChanges = []
        for continuation in waiting { continuation.resume() }
    }

    // MARK: - The plan

    /// Plans a change; nothing is loaded or tried.
    ///
    /// - Throws: The error of the request.
    func plan(_ request: ChangeRequest) async throws -> ChangePlan {
        let transaction = Transaction(try await withLibraries(ResolvedChange(request, of: self)), of: self)
        defer { transaction.staged.discard() }
        try transaction.bind()
        var plan = plan(transaction)
        plan.reaches = try (request.additions + request.updates).map { try reach(of: $0, in: request) }
        return plan
    }

    private func plan(_ transaction: Transaction) -> ChangePlan {
        let change = transaction.change
        var plan = ChangePlan()
        plan.doubts = change.request.doubts
        for departure in change.departures {
            plan.add(departure.isRemoved ? .remove : .stop, departure.module, to: nil, departure.reason)
        }
        for module in change.request.removals.compactMap({ module($0) }) where module.current == nil {
            plan.add(.remove, module, to: nil, "it is removed")
        }
        plan.steps += change.arrivals.map(step)
        addConfigurations(of: change, to: &plan)
        for (module, library) in change.settled {
            let reason = change.waiting[module.name]
            plan.add(
                reason == nil ? .install : .wait, module, to: library, reason ?? "it is loaded on demand")
        }
        var effect = transaction.staged.plan
        plan.contracts = plannedContracts(of: change)
        if ![.startUp, .onDemand].contains(change.request.cause) {
            plan.uses = plannedUses(of: change)
            plan.notes = change.pointNotes
            // What a module would register is not known before its code runs.
            let gaining = Set(plan.uses.filter { $0.isRebuilt && $0.from == nil }.map(\.module))
            if !gaining.isEmpty { effect.add(container.valuesWithAbsence(in: gaining)) }
        }
        plan.rebuilt = effect.affected.filter { $0.layer != .screen }.map(\.name)
        plan.screens = site.screens(affectedBy: effect)
        return plan
    }

    func step(_ arrival: ResolvedChange.Arrival) -> ChangePlan.Step {
        ChangePlan.Step(
            kind: arrival.isReconfigured ? .configure : arrival.module.current == nil ? .load : .replace,
            module: arrival.module.name,
            from: arrival.module.current?.version.description,
            to: (arrival.library?.manifest ?? arrival.module.manifest)?.version.description,
            reason: arrival.reason, formerBuild: arrival.formerBuild,
            isTried: arrival.library.map { library in
                preflight.map { arrival.isReconfigured || $0.verdict(of: library) == nil } ?? false
            } ?? false)
    }

    /// Adds the changed values, and a step for each module that is not reloaded for them.
    private func addConfigurations(of change: ResolvedChange, to plan: inout ChangePlan) {
        for name in change.request.configurations.keys.sorted() {
            guard let module = module(name) else { continue }
            plan.values += changedValues(of: module, by: change.request)
            guard !change.includes(module) else { continue }
            let version = module.manifest?.version.description
            plan.steps.append(
                ChangePlan.Step(
                    kind: .configure, module: name, from: version, to: version,
                    reason: reason(for: module, change.request)))
        }
    }

    /// The reason for configuring a module: `delay 0.5 -> 2`.
    func reason(for module: Module, _ request: ChangeRequest) -> String {
        changedValues(of: module, by: request).map(\.sentence).joined(separator: ", ")
    }

    /// The values of a module that a request changes, sets or resets.
    private func changedValues(of module: Module, by request: ChangeRequest) -> [ChangePlan.Value] {
        guard let manifest = module.manifest, let edit = request.configurations[module.name] else {
            return []
        }
        let keys = Set(edit.values.map(\.key) + edit.resets)
        let before = configured(module).values(of: manifest)
        let after = configured(module, after: request).values(of: manifest)
        // A key that is no longer declared has no value after a reset.
        return before.map { value in (value, after.first { $0.key == value.key }) }.filter {
            keys.contains($0.0.key)
        }.map { ChangePlan.Value(module: module.name, from: $0, to: $1) }
    }

    /// True if a request changes values that a module sees.
    func isReconfigured(_ module: Module, by request: ChangeRequest) -> Bool {
        guard let manifest = module.manifest, request.configurations[module.name] != nil else { return false }
        let (before, after) = (configured(module), configured(module, after: request))
        return !before.values(of: manifest).elementsEqual(after.values(of: manifest)) {
            $0.key == $1.key && $0.isSame(as: $1)
        }
    }
}

extension ChangePlan {
    /// Leaves out what was planned to be rebuilt, but was not: a module that came did not register it.
    fileprivate mutating func keep(only published: ContainerChange?, _ affectedScreens: [String]) {
        guard let published, uses.contains(where: { $0.isRebuilt && $0.from == nil }) else { return }
        let names = Set(published.affected.map(\.name))
        rebuilt.removeAll { !names.contains($0) }
        screens = affectedScreens
    }

    @MainActor
    fileprivate mutating func add(
        _ kind: Kind, _ module: Module, to library: CheckedLibrary?, _ reason: String
    ) {
        steps.append(
            Step(
                kind: kind, module: module.name,
                from: (module.current?.version ?? module.manifest?.version)?.description,
                to: library?.version.description, reason: reason))
    }
}
