@_spi(Host) package import AtriumKit
package import AtriumManifest

/// Loads the modules of `modules.json` and keeps what became of each.
///
/// A module's life, in steps:
///
/// 1. Its library is found, and its manifest read from the file: no code runs.
/// 2. The contract is checked: the SDK and the compiler that it was built with, its configuration.
/// 3. Requirements are resolved; modules that lack one wait.
/// 4. In order of requirement: the library is copied into the private store and opened from there, its
///    class is created, registers, and its registrations are checked and published together.
/// 5. It is activated.
///
/// Whatever fails for one module is kept as its reason, and leaves the others working.
@MainActor
package final class ModuleRuntime {
    /// The modules, in the order of `modules.json`.
    package let modules: [Module]
    private let searchPaths: [String]
    private let store: ModuleStore
    private unowned let site: any ModuleSite
    /// The whole graph of one version of the container.
    var knownGraph: (version: Int, graph: DependencyGraph)?
    /// The container that the modules register in.
    package var container: Container { site.container }

    /// Makes a runtime; nothing is loaded before ``start()``.
    ///
    /// - Parameters:
    ///   - modules: The modules that the configuration names.
    ///   - searchPaths: The folders in which libraries without a path are looked for.
    ///   - storeFolder: Where the private copies are kept.
    ///   - site: The host's side; outlives the runtime.
    package init(
        modules: [HostConfiguration.Module], searchPaths: [String], storeFolder: String, site: any ModuleSite
    ) {
        self.modules = modules.map(Module.init)
        self.searchPaths = searchPaths
        self.store = ModuleStore(folder: storeFolder)
        self.site = site
    }

    /// The module called `name`.
    package func module(_ name: String) -> Module? {
        modules.first { $0.name == name }
    }

    /// Discovers, resolves and starts all modules.
    ///
    /// - Parameter activates: Whether they are activated, or only loaded and registered, as to verify them.
    package func start(activates: Bool = true) async {
        site.container.explainAbsence = { [unowned self] in absence(of: $0) }
        for module in modules { attempt(module) { try self.discover(module) } }
        for module in resolve() { await self.start(module, activates: activates) }
    }

    /// Stops the active modules in the reverse order of their start.
    package func stop() async {
        for module in started.reversed() where module.state.isActive {
            module.state = .stopping
            await module.instance?.deactivate()
            module.state = .stopped
        }
    }

    private var started: [Module] = []

    // MARK: - Before any code runs

    private func discover(_ module: Module) throws {
        let path = try locate(module)
        module.path = path
        let file = try RandomAccessFile(path)
        guard let section = try ELFFile(file).section(".atrium.manifest") else {
            throw ModuleError.noManifest(path)
        }
        let manifest: ModuleManifest
        do {
            manifest = try ModuleManifest(json: section, file: path)
        } catch {
            throw ModuleError.badManifest(path, findings: error.sentence)
        }
        guard manifest.name == module.name else {
            throw ModuleError.otherName(path, configured: module.name, found: manifest.name)
        }
        module.manifest = manifest
        try Contract.check(manifest)
        module.file = file
    }

    private func locate(_ module: Module) throws -> String {
        if let path = module.configured.path { return path }
        let name = "lib\(module.name).so"
        guard let folder = searchPaths.first(where: { FileSystem.exists("\($0)/\(name)") }) else {
            throw ModuleError.notFound(module.name, searched: searchPaths)
        }
        return "\(folder)/\(name)"
    }

    /// Sorts the modules that can start, and tells the others why they can't.
    private func resolve() -> [Module] {
        let candidates = modules.compactMap { module in
            module.file == nil
                ? nil
                : module.manifest.map {
                    Resolver.Candidate(name: $0.name, version: $0.version, requires: $0.requires)
                }
        }
        let unreadable = modules.filter { $0.file == nil }.map(\.name)
        let resolution = Resolver.resolve(candidates, unreadable: Set(unreadable))
        for (name, reason) in resolution.waiting { module(name)?.state = .waiting(reason) }
        for (name, path) in resolution.cycles { module(name)?.state = .failed(ModuleError.cycle(path)) }
        let order = resolution.order.compactMap { module($0) }
        for module in order { module.state = .resolved }
        return order
    }

    // MARK: - Loading

    private func start(_ module: Module, activates: Bool) async {
        if let missing = module.manifest?.requires.first(where: {
            self.module($0.name)?.state.isActive != true
        }) {
            module.state = .waiting("it requires \(missing.name) \(missing.range), which is not active.")
            return
        }
        module.state = .starting
        do {
            let instance = try load(module)
            do {
                if activates { try await activate(instance, as: module) }
            } catch {
                unpublish(module)
                throw ModuleError.failed(module.name, in: "activate", error)
            }
            module.instance = instance
            module.state = .active
            started.append(module)
        } catch {
            module.state = .failed(explain(error, of: module))
        }
        module.file = nil
    }

    private func activate(_ instance: any FeatureModule, as module: Module) async throws {
        guard let scope = module.scope else { preconditionFailure("A module that was loaded has a scope.") }
        try await instance.activate(ActivationContext(site.container, for: scope))
    }

    private func load(_ module: Module) throws -> any FeatureModule {
        guard let manifest = module.manifest, let file = module.file else {
            preconditionFailure("Only a module that was discovered is loaded.")
        }
        let configuration = try ModuleConfiguration.merge(module.configured.configuration, into: manifest)
        let stored = try store.copy(file)
        module.digest = stored.digest
        guard let instance = try DynamicLibrary(stored, name: module.name).makeModule() else {
            throw ModuleError.noEntry(module.name, symbol: manifest.entry)
        }
        let infrastructure = site.infrastructure(
            for: module.name, migrations: type(of: instance).migrations, configuration: configuration)
        let scope = ModuleScope(
            name: module.name, requires: Set(manifest.requires.map(\.name)), infrastructure: infrastructure)
        module.scope = scope
        try publish(register(instance, as: scope, manifest), of: module, scope)
        return instance
    }

    private func register(
        _ instance: any FeatureModule, as scope: ModuleScope, _ manifest: ModuleManifest
    ) throws -> ModuleRegistry {
        let registry = ModuleRegistry(scope: scope)
        do {
            try instance.register(in: registry)
        } catch {
            throw ModuleError.failed(scope.name, in: "register", error)
        }
        registry.close()
        let declared = manifest.screens.map(\.pattern)
        let registered = registry.screens.map(\.pattern.description)
        let undeclared = registered.filter { !declared.contains($0) }
        let unregistered = declared.filter { !registered.contains($0) }
        var findings = registry.findings
        if !undeclared.isEmpty || !unregistered.isEmpty {
            findings.append(
                .screensDiffer(module: scope.name, undeclared: undeclared, unregistered: unregistered))
        }
        let missing = manifest.provides.filter { !registry.providedNames.contains($0) }
        if !missing.isEmpty { findings.append(.notProvided(module: scope.name, names: missing)) }
        guard findings.isEmpty else { throw ModuleError.findings(scope.name, findings) }
        return registry
    }

    private func publish(_ registry: ModuleRegistry, of module: Module, _ scope: ModuleScope) throws {
        try site.container.add(registry)
        do {
            try site.add(registry.screens)
        } catch {
            site.container.remove(scope)
            throw error
        }
        module.screens = registry.screens.map(\.pattern.description)
    }

    private func unpublish(_ module: Module) {
        site.removeScreens(of: module.name)
        if let scope = module.scope { site.container.remove(scope) }
        module.screens = []
    }

    // MARK: - Reasons

    private func attempt(_ module: Module, _ step: () throws -> Void) {
        do {
            try step()
        } catch {
            module.state = .failed(explain(error, of: module))
        }
    }

    private func explain(_ error: any Error, of module: Module) -> any ExplainedError {
        error as? any ExplainedError ?? ModuleError.failed(module.name, in: "start", error)
    }
}

extension ModuleRuntime {
    /// What keeps modules from working, for a person who starts the host.
    package var problems: [any ExplainedError] {
        modules.filter { !$0.state.isActive }.map { ModuleError.notActive($0.name, state: $0.state) }
    }

    /// Who would provide the type called `name`, where a module that is not active declares it.
    package func absence(of name: String) -> Container.Absence? {
        guard
            let module = modules.first(where: {
                !$0.state.isActive && $0.manifest?.provides.contains(name) == true
            })
        else { return nil }
        return Container.Absence(
            message: "module '\(module.name)' would, but it is \(module.state.name)",
            hint: "module \(module.name)")
    }

    /// Why a link can't be opened, where a module that is not active has it; nil where none has.
    ///
    /// A module whose manifest could not be read is taken to have the links that begin with its name.
    ///
    /// - Parameters:
    ///   - link: The segments of the link.
    ///   - fits: Answers whether a declared pattern fits the link.
    /// - Returns: An error that names the module and its reason.
    package func reasonAgainst(_ link: [String], fits: (String) -> Bool) -> ModuleError? {
        for module in modules where !module.state.isActive {
            let hasLink =
                module.manifest.map { $0.screens.contains { fits($0.pattern) } }
                ?? (module.name.lowercased() == link.first?.lowercased())
            if hasLink { return .notActive(module.name, state: module.state) }
        }
        return nil
    }
}
