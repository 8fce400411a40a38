@_spi(Host) package import AtriumKit
package import AtriumManifest

/// The modules of the host, and what became of each.
///
/// A module's life, in steps:
///
/// 1. Its library is found, and its manifest read from the file: no code runs.
/// 2. Requirements are resolved; modules that lack one wait, and those that are loaded on demand stay so.
/// 3. The library is copied into the private store and the copy is checked: the contract, the configuration.
/// 4. A library that was never loaded here is tried in a child process first (``Preflight``).
/// 5. In order of requirement: it is opened, its class is created, registers, and its registrations are
///    checked and published together.
/// 6. It is activated.
///
/// Whatever fails for one module is kept as its reason, and leaves the others working. While the host runs,
/// every change is a transaction: see `Changes/`.
@MainActor
package final class ModuleRuntime {
    /// The modules, in the order of `modules.json`, and behind them those that were added.
    package internal(set) var modules: [Module] { didSet { byName = Self.indexed(modules) } }
    private var byName: [String: Module]
    /// The modules that `modules.json` names.
    let configuredNames: Set<String>
    private(set) var reader: ModuleReader
    /// Reads what a library must show anew, as modules.lock may have been written since.
    package var readTrust: (@MainActor () throws -> TrustPolicy)?
    unowned let site: any ModuleSite
    /// Tries libraries that are new here; nil where they are loaded untried.
    let preflight: Preflight?
    /// The active modules in the order in which they were started.
    var started: [Module] = []
    /// The change that is being carried out.
    var transaction: Transaction?
    /// Those who wait for it to end.
    var waitingForChange: [CheckedContinuation<Void, Never>] = []
    var isChanging = false
    /// Whether the modules that begin with the host are being started.
    private var isStarting = false
    /// Modules that are loaded while others are being started, because one of those wants them.
    private var startsOnDemand: [String: Task<Void, Never>] = [:]
    /// What `modules.json` says of modules that were removed.
    var removed: [String: HostConfiguration.Module] = [:]
    /// The commands that are under way.
    package let work = RunningWork()
    /// What happened, for `events`.
    package let journal: Journal
    /// How long a module may take to start or to stop.
    let stepLimit: Duration
    /// The whole graph of one version of the container.
    var knownGraph: (version: Int, graph: DependencyGraph)?
    /// The container that the modules register in.
    package var container: Container { site.container }

    /// Makes a runtime; nothing is loaded before ``start(activates:)``.
    ///
    /// - Parameters:
    ///   - modules: The modules that the configuration names.
    ///   - searchPaths: The folders in which libraries without a path are looked for.
    ///   - storeFolder: Where the private copies are kept.
    ///   - site: The host's side; outlives the runtime.
    ///   - trust: What a library must show.
    ///   - preflight: Tries libraries that are new here.
    ///   - journal: Takes what happens.
    ///   - stepLimit: How long a module may take to start or to stop.
    package init(
        modules: [HostConfiguration.Module], searchPaths: [String], storeFolder: String, site: any ModuleSite,
        trust: TrustPolicy? = nil, preflight: Preflight? = nil, journal: Journal = Journal(),
        stepLimit: Duration = .seconds(10)
    ) {
        let modules = modules.map { Module($0) }
        self.modules = modules
        byName = Self.indexed(modules)
        configuredNames = Set(modules.map(\.name))
        self.reader = ModuleReader(
            searchPaths: searchPaths, store: ModuleStore(folder: storeFolder), trust: trust)
        self.site = site
        self.preflight = preflight
        self.journal = journal
        self.stepLimit = stepLimit
    }

    /// The module called `name`.
    package func module(_ name: String) -> Module? {
        byName[name]
    }

    private static func indexed(_ modules: [Module]) -> [String: Module] {
        Dictionary(modules.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Takes over what a library must show now.
    ///
    /// - Throws: What is wrong with modules.lock.
    func renewTrust() throws {
        if let readTrust { reader.trust = try readTrust() }
    }

    // MARK: - Starting

    /// Discovers, resolves and starts all modules that are started with the host.
    ///
    /// - Parameter activates: Whether they are activated, or all of them only loaded and registered, as to
    ///   verify them.
    package func start(activates: Bool = true) async {
        site.container.explainMissing = { [unowned self] in absence(of: $0) }
        site.container.loadOnDemand = { [unowned self] in demand($0) }
        for module in modules { attempt(module) { try self.discover(module) } }
        let order = resolve().filter { !activates || $0.manifest?.activation != .onDemand }
        for module in order { attempt(module) { try self.check(module) } }
        await tryNew(order)
        isStarting = true
        for module in order { await start(module, activates: activates) }
        isStarting = false
        noteStart()
    }

    private func discover(_ module: Module) throws {
        guard case .discovered = module.state else { return }
        let path = try reader.locate(module.name, path: module.configured.path)
        module.path = path
        let discovered = try reader.discover(path)
        guard discovered.manifest.name == module.name else {
            throw ModuleError.otherName(path, configured: module.name, found: discovered.manifest.name)
        }
        module.manifest = discovered.manifest
        try Contract.check(discovered.manifest)
        module.discovered = discovered
    }

    /// Sorts the modules that can start, and tells the others why they can't.
    private func resolve() -> [Module] {
        let readable = modules.filter { $0.discovered != nil }
        let candidates = readable.compactMap { module in
            module.manifest.map {
                Resolver.Candidate(name: $0.name, version: $0.version, requires: $0.requires)
            }
        }
        let unreadable = modules.filter { $0.discovered == nil }.map(\.name)
        let resolution = Resolver.resolve(candidates, unreadable: Set(unreadable))
        for (name, reason) in resolution.waiting { module(name)?.state = .waiting(reason) }
        for (name, path) in resolution.cycles { module(name)?.state = .failed(ModuleError.cycle(path)) }
        let order = resolution.order.compactMap { module($0) }
        for module in order { module.state = .resolved }
        return order
    }

    /// Copies and checks the library of a module that was discovered.
    func check(_ module: Module) throws {
        guard let discovered = module.discovered else { return }
        module.discovered = nil
        var candidate = try reader.check(discovered)
        if let build = module.rolledBack, candidate.digest == build.instead {
            candidate = try reader.candidate(ofStored: build.digest, from: candidate)
            module.manifest = candidate.manifest
        }
        module.candidate = candidate
        if let quarantine = module.quarantine {
            // Another build than the one that did harm may run.
            if quarantine.digest == nil || quarantine.digest == candidate.digest {
                module.state = .quarantined(quarantine.reason + ".")
            } else {
                module.quarantine = nil
            }
        }
    }

    /// Tries the libraries that are new here.
    private func tryNew(_ order: [Module]) async {
        guard let preflight else { return }
        let candidates = order.filter(\.state.isAvailable).compactMap(\.candidate)
        let new = candidates.filter { preflight.verdict(of: $0) == nil }
        var refusals: [String: any ExplainedError] = [:]
        for candidate in candidates {
            if case .refused(let error)? = preflight.verdict(of: candidate) {
                refusals[candidate.name] = error
            }
        }
        do {
            if !new.isEmpty {
                let found = try await preflight.run(
                    candidates.filter { refusals[$0.name] == nil }, new: new, configuration: configuration)
                refusals.merge(found) { $1 }
            }
        } catch {
            for candidate in new { refusals[candidate.name] = explain(error, of: candidate.name) }
        }
        for (name, error) in refusals { module(name)?.state = .failed(error) }
    }

    private func start(_ module: Module, activates: Bool) async {
        guard case .resolved = module.state, let candidate = module.candidate else { return }
        if let missing = candidate.manifest.requires.first(where: {
            self.module($0.name)?.state.isAvailable != true
        }) {
            module.state = .waiting("it requires \(missing.name) \(missing.range), which is not active.")
            return
        }
        module.state = .starting
        do {
            let generation = try load(candidate, as: module)
            try publish(generation)
            do {
                if activates { try await activate(generation, in: site.container) }
            } catch {
                withdraw(generation)
                throw error
            }
            isRegistered(generation, as: module)
        } catch {
            module.state = .failed(explain(error, of: module.name))
        }
    }

    /// Starts a module on demand of one that is being started itself, where that is so.
    ///
    /// A change can't be made then: it would begin from a state that is not there yet.
    ///
    /// - Returns: Whether the modules are being started; the module's state then tells what became of it.
    func startWhileStarting(_ module: Module) async -> Bool {
        guard isStarting else { return false }
        let known = startsOnDemand[module.name]
        let task =
            known
            ?? Task {
                attempt(module) { try self.check(module) }
                await tryNew([module])
                await start(module, activates: true)
            }
        startsOnDemand[module.name] = task
        await task.value
        startsOnDemand[module.name] = nil
        return true
    }

    /// Publishes one generation by itself, as the host does when it starts.
    private func publish(_ generation: Generation) throws {
        try site.container.add(generation.registry)
        do {
            try site.check(generation.screens, replacingThoseOf: [])
        } catch {
            site.container.remove(generation.scope)
            throw error
        }
        site.exchange(generation.screens, replacingThoseOf: [])
    }

    private func withdraw(_ generation: Generation) {
        site.exchange([], replacingThoseOf: [generation.name])
        site.container.remove(generation.scope)
        generation.scope.tasks.cancel()
    }

    private func isRegistered(_ generation: Generation, as module: Module) {
        module.current = generation
        module.wasActive = true
        module.state = .active
        started.append(module)
    }

    // MARK: - On demand, at once

    /// Loads the module that provides the type called `name`, where it was waiting to be wanted.
    ///
    /// Happens within the factory that wants it, so nothing can be awaited: the module is activated right after.
    private func demand(_ name: String) -> Bool {
        guard
            let module = modules.first(where: {
                $0.isOnDemand && $0.manifest?.provides.contains(name) == true
            })
        else { return false }
        do {
            try check(module)
            // What keeps it from running is found out only now; its state says so.
            if case .quarantined = module.state { return false }
            guard let candidate = module.candidate, try isTried(candidate) else { return false }
            let generation = try load(candidate, as: module)
            if let transaction, transaction.isActivating {
                try transaction.add(generation, for: module)
                return true
            }
            try publish(generation)
            isRegistered(generation, as: module)
            journal.append([journal.event("loaded", generation, "\(name) was wanted")])
            Task { await self.activateLate(generation, of: module) }
            return true
        } catch {
            module.state = .failed(explain(error, of: module.name))
            return false
        }
    }

    /// Whether a library may be loaded at once: it was tried, and nothing was wrong.
    private func isTried(_ candidate: Candidate) throws -> Bool {
        guard let preflight else { return true }
        switch preflight.verdict(of: candidate) {
        case .passed: return true
        case .refused(let error): throw error
        case nil: throw ModuleError.notTried(candidate.name)
        }
    }

    /// Activates what was loaded on demand, where nothing could be awaited.
    func activateLate(_ generation: Generation, of module: Module) async {
        do {
            try await activate(generation, in: site.container)
        } catch {
            guard module.current === generation else { return }
            withdraw(generation)
            started.removeAll { $0 === module }
            module.current = nil
            module.state = .failed(explain(error, of: module.name))
        }
    }

    // MARK: - Stopping

    /// Stops the active modules in the reverse order of their start.
    ///
    /// - Returns: What did not end in time, in words.
    @discardableResult
    package func stop() async -> [String] {
        var overdue: [String] = []
        for module in started.reversed() where module.state.isActive {
            guard let generation = module.current else { continue }
            module.state = .stopping
            overdue += await stop(generation)
            module.state = .stopped
        }
        return overdue
    }
}
