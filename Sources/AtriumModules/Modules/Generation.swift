internal import AtriumCrash
@_spi(Host) package import AtriumKit
package import AtriumLibraries
package import AtriumManifest
internal import AtriumStorage

/// One loaded build of a module.
@MainActor
package final class Generation {
    /// The number of the generation among the module's in this process, from 1.
    package let number: Int
    package let library: CheckedLibrary
    package let scope: ModuleScope
    package let instance: any FeatureModule
    let registry: ModuleRegistry
    /// The address space of its library, in bytes.
    let mapped: Int
    /// Records the current step for crash reports.
    let watched: WatchedModule
    /// The objects that it built and that were alive when it was replaced.
    private(set) var objectsAtRetirement: BuiltObjects?

    /// Opens a library, creates its module, and lets it register: the only way to load a library.
    ///
    /// Calls `willBegin` before each step that runs code of the library.
    ///
    /// - Throws: ``ModuleError``; nothing of the module is visible anywhere then.
    init(
        _ library: CheckedLibrary, number: Int, configured: ConfiguredValues, site: any ModuleSite,
        limit: RepositoryLimit? = nil,
        open: @MainActor (CheckedLibrary) throws -> DynamicLibrary,
        willBegin: (PreflightEvent.Step) -> Void = { _ in }
    ) throws {
        let manifest = library.manifest
        let configuration = try ModuleConfiguration.merge(configured, into: manifest)
        watched = WatchedModule(library.name, digest: library.digest)
        willBegin(.load)
        let opened = try watched.perform(.load) { try open(library) }
        mapped =
            opened.address.map {
                CrashHandler.add(
                    imageAt: $0, module: library.name, generation: number, digest: library.digest)
            } ?? 0
        willBegin(.create)
        guard let instance = watched.perform(.create, opened.makeModule) else {
            throw ModuleError.noEntry(library.name, symbol: manifest.entry)
        }
        let migrations = type(of: instance).migrations
        if let error = DatabaseError.fault(of: migrations, library.name, on: site.dialect) {
            throw ModuleError(error.code, error.message, hint: error.hint)
        }
        let allowance = Allowance(manifest, limit)
        if !migrations.isEmpty, let refusal = allowance.refusal(of: .database) { throw refusal }
        willBegin(.register)
        scope = ModuleScope(
            name: library.name, version: "\(manifest.version)", generation: number,
            requires: Set(manifest.requires.map(\.name)), uses: manifest.acceptedUses,
            infrastructure: allowance.limiting(
                site.infrastructure(
                    for: library.name, migrations: migrations, configuration: configuration), of: site))
        let scope = scope
        scope.withheld = allowance.withheld
        registry = try watched.perform(.register) { try Self.register(instance, as: scope, manifest) }
        self.number = number
        self.library = library
        self.instance = instance
    }

    /// Lets a module register, and checks the registrations against its manifest.
    ///
    /// - Returns: The registrations, complete and without findings.
    /// - Throws: ``ModuleError`` with all findings.
    static func register(
        _ instance: any FeatureModule, as scope: ModuleScope, _ manifest: ModuleManifest
    ) throws -> ModuleRegistry {
        let registry = ModuleRegistry(scope: scope, proxies: type(of: instance).serviceProxies)
        do {
            try instance.register(in: registry)
        } catch {
            throw ModuleError.failed(scope.name, in: "register", error)
        }
        registry.close()
        let findings = registry.findings + differences(registry, manifest)
        guard findings.isEmpty else { throw ModuleError.findings(scope.name, findings) }
        return registry
    }

    private static func differences(
        _ registry: ModuleRegistry, _ manifest: ModuleManifest
    ) -> [RegistrationError] {
        let declared = manifest.screens.map(\.pattern)
        let registered = registry.declaredScreens.map(\.pattern.description)
        let (allDeclared, allRegistered) = (Set(declared), Set(registered))
        let undeclared = registered.filter { !allDeclared.contains($0) }
        let unregistered = declared.filter { !allRegistered.contains($0) }
        var findings: [RegistrationError] = []
        if !undeclared.isEmpty || !unregistered.isEmpty {
            findings.append(
                .screensDiffer(module: manifest.name, undeclared: undeclared, unregistered: unregistered))
        }
        let others = Set(manifest.others.map(\.name))
        for module in registry.boundTo.subtracting(others).sorted() {
            findings.append(.notUsed(module: manifest.name, other: module))
        }
        // The host finds infrastructure through manifests alone, without loading anything.
        let hidden = registry.infrastructureNames.filter { !manifest.provides.contains($0) }
        if !hidden.isEmpty { findings.append(.notDeclared(module: manifest.name, names: hidden)) }
        let missing = manifest.provides.filter { !registry.providedNames.contains($0) }
        if !missing.isEmpty { findings.append(.notProvided(module: manifest.name, names: missing)) }
        return findings
    }

    /// Activates the module.
    ///
    /// - Throws: ``ModuleError``; `stop(within:)` must follow, as after success.
    func activate(in container: Container, within limit: Duration) async throws {
        do {
            try await withTimeLimit(limit, of: "Its activation") {
                try await self.watched.perform(.activate) {
                    try await self.instance.activate(ActivationContext(container, for: self.scope))
                }
            }
        } catch {
            try Task.checkCancellation()
            throw ModuleError.failed(name, in: "activate", error)
        }
    }

    /// Deactivates the module and cancels its tasks.
    ///
    /// - Parameter limit: The time limit for deactivation, and again for its tasks.
    /// - Returns: Sentences about what did not end in time.
    func stop(within limit: Duration) async -> [String] {
        scope.tasks.cancel()
        return await withCheckedContinuation { continuation in
            // A separate task, so that a cancelled change is still undone completely. Awaiting its value
            // would leave the main actor, which costs a process its first thread.
            _ = Task.immediate { continuation.resume(returning: await overdueSteps(within: limit)) }
        }
    }

    private func overdueSteps(within limit: Duration) async -> [String] {
        var overdue: [String] = []
        let (instance, watched, tasks) = (instance, watched, scope.tasks)
        do {
            try await withTimeLimit(limit, of: "deactivate()") {
                await watched.perform(.deactivate) { await instance.deactivate() }
            }
        } catch {
            overdue.append("'deactivate()' of module '\(name)'")
        }
        do {
            try await withTimeLimit(limit, of: "its tasks") { await tasks.finish() }
        } catch {
            overdue += tasks.names.map { "the task '\($0)' of module '\(name)'" }
        }
        return overdue
    }

    /// Its state, in a version of the format; nil if it has none.
    package func snapshot(version: Int) throws -> ModuleSnapshot? {
        try watched.perform(.snapshot) { try instance.snapshot(version: version) }
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        try watched.perform(.restore) { try instance.restore(snapshot) }
    }

    /// The objects that it built and that are alive.
    func objects(in site: any ModuleSite) -> BuiltObjects {
        BuiltObjects(of: instance, scope, in: site.container, site.entryObjects)
    }

    /// Records the objects that it built; call it before its registrations leave the container.
    func willRetire(from site: any ModuleSite) {
        objectsAtRetirement = objects(in: site)
    }

    package var name: String { library.name }
    package var version: SemanticVersion { library.version }
    package var tasksRunning: [String] { scope.tasks.names }
    /// Its screens, without those that are absent with a module that it uses.
    package var screens: [ScreenRegistration] { registry.screens }
    package var stories: [StoryRegistration] { registry.stories }

    /// The version of the state that it hands over.
    package var stateVersion: Int { type(of: instance).stateVersion }

    package var migrations: [Migration] { type(of: instance).migrations }

    /// Its own connection to the module's database; nil in a host without databases.
    var database: (any ManagedDatabase)? { scope.infrastructure.database as? any ManagedDatabase }

    /// The file of that database; nil if a server stores it.
    var databaseFile: String? { (scope.infrastructure.database as? SQLiteDatabase)?.path }
}

/// A generation that was replaced, or whose module was removed: it stays mapped, and drains.
@MainActor
package final class RetiredGeneration {
    package let number: Int
    package let version: SemanticVersion
    package let digest: String
    let mapped: Int
    /// The objects that it built and that were alive when it was replaced.
    let objects: BuiltObjects
    private let tasks: OwnedTasks
    private weak var scope: ModuleScope?

    init(_ generation: Generation) {
        number = generation.number
        version = generation.version
        digest = generation.library.digest
        mapped = generation.mapped
        objects = generation.objectsAtRetirement ?? BuiltObjects()
        tasks = generation.scope.tasks
        scope = generation.scope
    }

    package var tasksRunning: [String] { tasks.names }

    /// True if work that began before it was replaced is still running.
    var isHeldByWork: Bool { scope?.isHeldByWork == true }

    /// True if only its mapped library is left: nothing resolves or runs on its behalf, and the objects that
    /// it built no longer exist.
    package var isDrained: Bool { scope == nil && tasks.count == 0 && objects.areGone }
}
