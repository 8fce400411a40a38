package import AtriumCrash
@_spi(Host) package import AtriumKit
package import AtriumLibraries
package import AtriumManifest

/// The modules of the host, and the state of each.
///
/// A module's life, in steps:
///
/// 1. Its library is found, and its manifest read from the file: no code runs.
/// 2. Requirements are resolved; modules that lack one wait, and on-demand ones stay unloaded.
/// 3. The library is copied into the private store, and the copy is checked.
/// 4. A library that is new to this host is tried in a child process first (``Preflight``).
/// 5. It is opened, its class is created and registers in a staged container.
/// 6. It is activated, and published.
///
/// Start-up, loading on demand and every change by command take the same path: a ``ChangeRequest`` is
/// resolved to a ``ResolvedChange``, which a ``Transaction`` carries out. A failure at start-up is kept as
/// the module's reason and the other modules keep working; otherwise it fails the whole change.
@MainActor
package final class ModuleRuntime {
    /// The modules, in the order of `modules.json`, then those that were added.
    package internal(set) var modules: [Module] { didSet { byName = Self.indexed(modules) } }
    private var byName: [String: Module]
    /// The modules in `modules.json`, with the paths given there.
    private let configuredPaths: [String: String?]
    var configuredNames: some Collection<String> { configuredPaths.keys }
    package private(set) var reader: ModuleReader
    /// Reads the trust requirements again, as modules.lock may have changed since.
    package var readTrust: (@MainActor () throws -> TrustPolicy)?
    /// The host's services for modules.
    let site: any ModuleSite
    /// Tries libraries that are new to this host; nil if they are loaded untried.
    let preflight: Preflight?
    /// Maps libraries.
    var open: @MainActor (CheckedLibrary) throws -> DynamicLibrary = DynamicLibrary.open
    /// False if the modules are classes already in this process.
    private(set) var opensLibraries = true
    /// The contracts that this process has opened, by the names of their libraries.
    var contracts: [String: CheckedContract] = [:]
    /// The active modules in the order in which they were started.
    var started: [Module] = []
    /// The running transactions: one, and those that its activations required on demand.
    var transactions: [Transaction] = []
    var waitingChanges: [CheckedContinuation<Void, Never>] = []
    var isChanging = false
    /// The modules that are being loaded because an activation requires them.
    var loadsOnDemand: [String: Task<Void, any Error>] = [:]
    /// The saved state of modules, for their next generation.
    package var states = ModuleStates()
    /// The last reported reasons why the state of modules can't be saved.
    var toldStateProblems: [String: String] = [:]
    /// The values set by `module configure`.
    package var configurationChanges = ConfigurationChanges()
    /// The `modules.json` entries of modules that were removed.
    var removed: [String: HostConfiguration.Module] = [:]
    /// The removed modules, with their words.
    package internal(set) var former: [InstalledModules.Former] = []
    /// A time in words that follow a verb: `2 min ago`.
    package var timeInWords: (Timestamp) -> String = { "at \($0.displayText)" }
    /// The repository that each library came from, by the digest of the library.
    package internal(set) var origins: [String: String] = [:]
    /// The limits for modules of each repository.
    package var limits = RepositoryLimits()
    /// The commands in progress.
    package let work = RunningWork()
    /// Restores process state that modules change; nil if this is not the host's process.
    package var keeper: ProcessKeeper?
    /// The events outside any change report, until the user has seen them.
    var events: [ModuleEvent] = []
    /// The history, for `events`.
    package let journal: Journal
    /// The time limit for a module to start or to stop.
    let stepLimit: Duration
    /// The whole graph of one version of the container.
    var cachedGraph: (version: Int, graph: DependencyGraph)?
    /// The container that the modules register in.
    package var container: Container { site.container }

    /// Creates a runtime; nothing is loaded before ``start(activates:)``.
    package init(
        modules: [HostConfiguration.Module], searchPaths: [String], storeFolder: String, site: any ModuleSite,
        trust: TrustPolicy? = nil, preflight: Preflight? = nil, journal: Journal = Journal(),
        stepLimit: Duration = .seconds(10)
    ) {
        let modules = modules.map { Module($0) }
        self.modules = modules
        byName = Self.indexed(modules)
        configuredPaths = Dictionary(modules.map { ($0.name, $0.configured.path) }) { first, _ in first }
        self.reader = ModuleReader(
            searchPaths: searchPaths, store: ModuleStore(folder: storeFolder), trust: trust)
        self.site = site
        self.preflight = preflight
        self.journal = journal
        self.stepLimit = stepLimit
    }

    package func module(_ name: String) -> Module? {
        byName[name]
    }

    /// The module called `name`.
    ///
    /// - Throws: ``ModuleError`` if there is none.
    package func requireModule(_ name: String) throws -> Module {
        guard let module = byName[name] else {
            throw isContract(name) ?? ModuleError.unknown(name, known: modules.map(\.name))
        }
        return module
    }

    private static func indexed(_ modules: [Module]) -> [String: Module] {
        Dictionary(modules.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Reads the trust requirements again.
    ///
    /// - Throws: The error in modules.lock.
    package func renewTrust() throws {
        if let readTrust { reader.trust = try readTrust() }
    }

    /// The path of a module's library in `modules.json`; nil if the module or its library is not found.
    func configuredLibrary(of name: String) -> String? {
        configuredPaths[name].flatMap { try? reader.locate(name, path: $0) }
    }

    /// Creates modules from classes already in this process, by name; their libraries are not opened.
    package func takeModules(_ classes: [String: any FeatureModule.Type]) {
        opensLibraries = false
        open = { library in DynamicLibrary(address: nil) { classes[library.name]?.init() } }
    }

    // MARK: - Starting and stopping

    /// Discovers and resolves all modules, and starts those that start with the host.
    ///
    /// - Parameters:
    ///   - activates: Whether modules are activated, or all only loaded and registered, to verify them.
    ///   - selection: The modules that may be loaded.
    package func start(activates: Bool = true, _ selection: ModuleSelection = .all) async {
        site.container.explainMissing = { [unowned self] in absence(of: $0) }
        site.container.loadOnDemand = { [unowned self] in loadNow($0, for: $1) }
        var request = ChangeRequest(.startUp)
        journal.begin(.startUp)
        defer { journal.end() }
        for module in modules where selection != .none {
            do {
                module.discovered = try discover(module)
                module.state = .resolved
            } catch {
                module.state = .failed(ModuleError.explained(error, of: module.name))
            }
        }
        leaveOut(by: selection)
        for module in modules {
            guard case .resolved = module.state else { continue }
            if !activates || module.manifest?.activation == .startup { request.starts.append(module.name) }
        }
        do {
            let transaction = try await stage(ResolvedChange(request, of: self))
            defer { events += transaction.events }
            try await transaction.run(activates: activates)
        } catch {
            for name in request.starts {
                module(name)?.state = .failed(ModuleError.explained(error, of: name))
            }
        }
        for module in modules where !module.state.isAvailable && module.manifest?.activation == .onDemand {
            removeBound(to: module)
        }
        recordStart(of: Set(request.starts))
        if activates { await startFormerBuilds() }
    }

    /// Finds the library of a module, and reads its manifest.
    func discover(_ module: Module) throws -> DiscoveredLibrary {
        let path = try reader.locate(module.name, path: module.configured.path)
        module.path = path
        let discovered: DiscoveredLibrary
        do {
            discovered = try DiscoveredLibrary(RandomAccessFile(path))
        } catch let error as ModuleError where error.code == .libraryNotFound {
            throw module.unreadable(error)
        }
        guard discovered.manifest.name == module.name else {
            throw module.otherName(discovered.manifest.name, at: path)
        }
        module.manifest = discovered.manifest
        try Compatibility.check(discovered.manifest)
        return discovered
    }

    /// Takes the last discovered library, or discovers it again if it was already taken.
    func takeDiscovered(_ module: Module) throws -> DiscoveredLibrary {
        defer { module.discovered = nil }
        return try module.discovered ?? discover(module)
    }

    /// Opens a library and lets its module register; nothing of it is visible yet.
    func load(
        _ library: CheckedLibrary, as module: Module, _ request: ChangeRequest
    ) throws -> Generation {
        module.generationCount += 1
        defer { restoreProcess(after: "loaded", [module.name]) }
        try openContracts(of: library)
        return try Generation(
            library, number: module.generationCount, configured: configured(module, after: request),
            site: site, limit: limit(of: library, request), open: open)
    }

    /// Stops the active modules in the reverse order of their start.
    ///
    /// - Returns: Errors about what did not end in time.
    @discardableResult
    package func stop() async -> [ModuleError] {
        var overdue: [String] = []
        for module in started.reversed() where module.state.isActive {
            guard let generation = module.current else { continue }
            module.state = .stopping
            overdue += await generation.stop(within: stepLimit)
            module.state = .stopped
        }
        return overdue.map(ModuleError.overdue)
    }

    // MARK: - Configuration

    /// The configuration of a module; after `request`, if it is not nil.
    func configured(_ module: Module, after request: ChangeRequest? = nil) -> ConfiguredValues {
        let changes =
            request.map { configurationChanges.edited(by: $0.configurations) } ?? configurationChanges
        return ConfiguredValues(
            file: module.configured.configuration, changes: changes.members(of: module.name))
    }

    /// The values of a module with their origins; empty if its manifest was not read.
    package func configuration(of module: Module) -> [ConfiguredValues.Value] {
        module.manifest.map { configured(module).values(of: $0) } ?? []
    }

    // MARK: - Reasons

    /// Restores process state that modules changed when they were `loaded` or `activated`, and records it.
    func restoreProcess(after step: String, _ modules: [String]) {
        guard !modules.isEmpty, let changes = keeper?.restore(), !changes.isEmpty else { return }
        let names = modules.map { "'\($0)'" }.joined(separator: ", ")
        let who =
            modules.count == 1
            ? "Module \(names) changed the process while it was"
            : "One of \(names) changed the process while they were"
        let message = "\(who) \(step): \(changes.joined(separator: ", ")). The host put back what it could."
        let hint = modules.count == 1 ? "module remove \(modules[0])" : "events"
        events.append(ModuleEvent(code: .changesProcess, message: message, hint: hint))
        for module in modules { journal.record("changedProcess", module: module, message) }
    }

    /// Restores process state that an action of a module changed, before another command uses it.
    package func restoreProcess(afterAction action: String, of module: String?) {
        guard let changes = keeper?.restore(quickly: true), !changes.isEmpty else { return }
        let owner = module.map { " of module '\($0)'" } ?? ""
        let message =
            "The process was changed during '\(action)'\(owner): \(changes.joined(separator: ", ")). "
            + "The host put back what it could."
        events.append(ModuleEvent(code: .changesProcess, message: message, hint: "events"))
        journal.record("changedProcess", module: module, message)
    }

    /// Restores process state that an action or a task changed, so that the module that is tried or loaded next
    /// is not blamed for it.
    func restoreProcessBeforeLoading() {
        guard let changes = keeper?.restore(), !changes.isEmpty else { return }
        let since = journal.ofThisProcess.last.map { " since \($0.time)" } ?? ""
        let active = modules.filter(\.state.isActive).map { "'\($0.name)'" }.joined(separator: ", ")
        let message =
            "Something changed the process\(since): \(changes.joined(separator: ", ")). "
            + "The host put back what it could. Active modules: \(active)."
        events.append(ModuleEvent(code: .changesProcess, message: message, hint: "events"))
        journal.record("changedProcess", message)
    }

    /// Removes and returns the events outside any change report, so that the user sees each once.
    package func takeEvents(_ level: ModuleEvent.Level) -> [ModuleEvent] {
        defer { events.removeAll { $0.level == level } }
        return events.filter { $0.level == level }
    }

    /// Errors about modules that don't work, for the user who starts the host.
    package var problems: [any ExplainedError] {
        modules.filter { !$0.state.isAvailable && !$0.isLeftOut }.map {
            ModuleError.notActive($0.name, state: $0.state)
        }
    }

    /// The inactive module that declares that it provides the type called `name`.
    package func absence(of name: String) -> Container.MissingProvider? {
        guard
            let module = modules.first(where: {
                !$0.state.isActive && $0.manifest?.provides.contains(name) == true
            })
        else { return nil }
        return Container.MissingProvider(
            message: "module '\(module.name)' would, but it is \(module.state.name)",
            hint: "why \(module.name)")
    }

    /// The module that a link loads on demand, if a declared pattern matches it; nil if there is none.
    package func moduleOnDemand(matches: (String) -> Bool) -> Module? {
        modules.first { $0.isOnDemand && $0.manifest?.screens.contains { matches($0.pattern) } == true }
    }

    /// The reason why a link can't be opened, if it belongs to a module that is not active.
    ///
    /// A module whose manifest could not be read is assumed to have the links that begin with its name.
    ///
    /// `matches` returns whether a declared pattern matches the link.
    package func reasonAgainst(_ link: [String], matches: (String) -> Bool) -> ModuleError? {
        let module = modules.first { module in
            !module.state.isActive
                && (module.manifest.map { $0.screens.contains { matches($0.pattern) } }
                    ?? (module.name.lowercased() == link.first?.lowercased()))
        }
        if let module { return .notActive(module.name, state: module.state) }
        if let absence = absence(where: matches) { return absence }
        if let former = former.last(where: { absent($0) && $0.links.contains(where: matches) }) {
            return removal(of: former.name)
        }
        let former = removed.keys.sorted().first { name in
            manifest(ofRemoved: name).map { $0.screens.contains { matches($0.pattern) } }
                ?? (name.lowercased() == link.first?.lowercased())
        }
        return former.flatMap(removal)
    }

    /// The error about a command of a module that was removed; nil for any other word.
    package func reasonAgainst(command: String) -> ModuleError? {
        former.last { absent($0) && $0.commands.contains(command) }.flatMap { removal(of: $0.name) }
    }

    private func absent(_ former: InstalledModules.Former) -> Bool { module(former.name) == nil }

    private func manifest(ofRemoved name: String) -> ModuleManifest? {
        let path = removed[name].flatMap { try? reader.locate(name, path: $0.path) }
        return path.flatMap { try? DiscoveredLibrary(RandomAccessFile($0)) }?.manifest
    }

    /// The error about a module that was removed; nil for any other.
    func removal(of name: String) -> ModuleError? {
        let former = former.last { $0.name == name }
        guard former != nil || removed[name] != nil else { return nil }
        let path = removed[name].flatMap { try? reader.locate(name, path: $0.path) }
        return ModuleError(
            .unknownModule,
            "Module '\(name)' was removed\(former.map { " " + timeInWords($0.time) } ?? "").",
            hint: "module add \(former?.source ?? path ?? name)")
    }
}
