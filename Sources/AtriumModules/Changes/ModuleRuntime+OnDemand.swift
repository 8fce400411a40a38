@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// Returns the infrastructure of one type; loads the module that provides it if none is active.
    ///
    /// - Throws: ``ModuleError`` if it has no provider or that can't be loaded; errors of its factory.
    package func infrastructure<Value>(_ type: Value.Type) async throws -> Value {
        try await loadProvider(of: RegistrationKey.name(of: type))
        return try container.value(type, .infrastructure)
    }

    /// Loads the module that provides the type called `name`, unless such a module is active.
    ///
    /// - Throws: ``ModuleError`` that names the provider, why it is not active, and a next step.
    func loadProvider(of name: String) async throws {
        let providers = modules.filter { $0.manifest?.provides.contains(name) == true }
        if providers.contains(where: \.state.isActive) { return }
        guard let module = providers.first(where: \.isOnDemand) ?? providers.first else {
            let provider = inactiveProvider(of: name)
            // A module that is left out of this start was not discovered.
            if let left = provider.flatMap({ self.module($0.manifest.name) }) {
                throw ModuleError.notProvided(name, by: left.name, left.state)
            }
            let path = provider?.path
            throw ModuleError(
                .moduleNotActive,
                "No module provides \(name)\(path.map { ", but '\($0)' would" } ?? "").",
                hint: path.map { "module add \($0)" } ?? "Add a module that provides it to modules.json.")
        }
        guard module.isOnDemand else { throw ModuleError.notProvided(name, by: module.name, module.state) }
        do {
            try await load(module)
        } catch let error as any ExplainedError {
            throw ModuleError.notProvided(name, by: module.name, error)
        }
    }

    /// The library that provides the type called `name`, of a module that was removed or is not configured.
    private func inactiveProvider(of name: String) -> (path: String, manifest: ModuleManifest)? {
        let found = reader.searchPaths.flatMap { (try? ModuleLibraries.libraries(in: $0)) ?? [] }
        for path in removed.values.compactMap(\.path) + found {
            guard let manifest = (try? DiscoveredLibrary(RandomAccessFile(path)))?.manifest else { continue }
            if manifest.provides.contains(name) { return (path, manifest) }
        }
        return nil
    }

    /// Loads a module on demand, as a change like any other.
    ///
    /// A module that an activation requires is loaded at once: as a queued change it would wait for the
    /// activation's own transaction.
    ///
    /// - Throws: The reason why it can't be loaded.
    package func load(_ module: Module) async throws {
        let request = ChangeRequest(starting: module)
        guard Transaction.activating?.transaction?.isActivating == true else {
            events += try await change(request).events
            return
        }
        try requireWhatItRequires(module)
        let task =
            loadsOnDemand[module.name]
            ?? Task {
                defer { loadsOnDemand[module.name] = nil }
                let report = try await perform(request) { ResolvedChange(loading: module, nil, of: self) }
                events += report.events
            }
        loadsOnDemand[module.name] = task
        try await task.value
    }

    /// Loads the on-demand module that provides the type called `name`, for a factory that requires it.
    ///
    /// The factory can't wait, so the module is activated right after. Requirements of a staged container
    /// become part of its change. Files are read on the main actor here; a library that was tried has already
    /// been copied.
    func loadNow(_ name: String, for asker: Container) -> Bool {
        guard
            let module = modules.first(where: {
                $0.isOnDemand && $0.manifest?.provides.contains(name) == true
            })
        else { return false }
        let request = ChangeRequest(starting: module)
        do {
            try requireWhatItRequires(module)
            var library =
                try module.library ?? reader.check(takeDiscovered(module), rollback: module.rolledBack)
            if opensLibraries, !library.manifest.contracts.isEmpty {
                var finder = contractFinder()
                library.contracts = try finder.contracts(of: library.manifest)
            }
            try checkQuarantine(of: module, library)
            try refuseSystemCalls(of: library, in: request)
            try checkVerdict(on: library)
            if let transaction = transactions.first(where: { $0.stages(asker) }) {
                try transaction.add(library, for: module)
                return true
            }
            let change = ResolvedChange(loading: module, library, of: self)
            let plan = ChangePlan(steps: change.arrivals.map(step))
            let transaction = Transaction(change, of: self)
            _ = try transaction.runNow()
            record(plan, took: nil)
            Task { await transaction.activatePublished() }
            return true
        } catch {
            if !module.isQuarantined {
                module.state = .failed(ModuleError.explained(error, of: module.name))
                removeBound(to: module)
            }
            record(failureOf: request, error)
            return false
        }
    }

    /// Checks that a module's requirements are active, or being loaded by a running change.
    private func requireWhatItRequires(_ module: Module) throws {
        for required in module.manifest?.requires.map(\.name) ?? [] {
            let isThere =
                self.module(required)?.current != nil || transactions.contains { $0.loads(required) }
            guard isThere else {
                throw ModuleError.wouldWait(module.name, nil, "module '\(required)' is not active.")
            }
        }
    }

    /// Checks that a library has passed its preflight, as there is no time to run it now.
    private func checkVerdict(on library: CheckedLibrary) throws {
        guard let preflight else { return }
        switch preflight.verdict(of: library) {
        case .passed: return
        case .refused(let error): throw error
        case nil:
            throw ModuleError(
                .moduleNotActive,
                "Module '\(library.name)' was not tried yet, so it can't be loaded within a command.",
                hint: "module start \(library.name)")
        }
    }

    /// Removes what others have bound to a module that failed without a change, after the running change.
    func removeBound(to module: Module) {
        Task {
            try await betweenChanges {
                guard module.current == nil, !module.state.isAvailable else { return }
                let change = ResolvedChange(stopping: module, as: module.state, of: self)
                let transaction = Transaction(change, of: self)
                guard (try? transaction.bind()) != nil, !transaction.rebound.isEmpty else {
                    return transaction.staged.discard()
                }
                _ = try transaction.runNow()
                transaction.notifySite()
            }
        }
    }

    /// Stops a module whose activation failed after publication.
    func stop(_ module: Module, because error: any ExplainedError) async {
        let change = ResolvedChange(stopping: module, as: .failed(error), of: self)
        let transaction = Transaction(change, of: self)
        guard let leaving = try? transaction.runNow() else { return }
        transaction.notifySite()
        record(failureOf: ChangeRequest(starting: module), error)
        for generation in leaving { _ = await generation.stop(within: stepLimit) }
        // The transaction keeps the state in which they resolve while they stop.
        withExtendedLifetime(transaction) {}
    }
}

extension ModuleError {
    static func notProvided(_ name: String, by module: String, _ state: ModuleState) -> ModuleError {
        let error = notActive(module, state: state)
        return ModuleError(
            .moduleNotActive, "No module provides \(name) now: \(error.message)", hint: error.hint)
    }

    static func notProvided(_ name: String, by module: String, _ error: any ExplainedError) -> ModuleError {
        ModuleError(
            error.code, "Module '\(module)', which provides \(name), could not be loaded: \(error.message)",
            hint: error.hint ?? "why \(module)", cause: error)
    }
}
