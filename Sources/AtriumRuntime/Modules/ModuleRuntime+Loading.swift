@_spi(Host) internal import AtriumKit
internal import AtriumManifest

extension ModuleRuntime {
    /// What `modules.json` configures for a module.
    var configuration: [String: [ManifestValue.Member]] {
        Dictionary(modules.map { ($0.name, $0.configured.configuration) }) { first, _ in first }
    }

    /// Opens a library, creates its module, and lets it register.
    ///
    /// - Throws: ``ModuleError``; nothing of the module is visible anywhere then.
    func load(_ candidate: Candidate, as module: Module) throws -> Generation {
        let manifest = candidate.manifest
        let configuration = try ModuleConfiguration.merge(module.configured.configuration, into: manifest)
        let library = try DynamicLibrary(candidate.library, name: candidate.name)
        module.generationCount += 1
        let number = module.generationCount
        let mapped = CrashHandler.add(
            imageAt: library.address, module: candidate.name, generation: number, digest: candidate.digest)
        guard let instance = library.makeModule() else {
            throw ModuleError.noEntry(candidate.name, symbol: manifest.entry)
        }
        let scope = ModuleScope(
            name: candidate.name, generation: number, requires: Set(manifest.requires.map(\.name)),
            infrastructure: site.infrastructure(
                for: candidate.name, migrations: type(of: instance).migrations, configuration: configuration))
        return Generation(
            number: number, candidate: candidate, scope: scope, instance: instance,
            registry: try Registering.run(instance, as: scope, manifest), mapped: mapped)
    }

    /// Lets a generation start what it does by itself.
    func activate(_ generation: Generation, in container: Container) async throws {
        do {
            try await withTimeLimit(stepLimit, of: "Its activation") {
                try await generation.instance.activate(ActivationContext(container, for: generation.scope))
            }
        } catch {
            try Task.checkCancellation()
            throw ModuleError.failed(generation.name, in: "activate", error)
        }
    }

    /// Stops a generation: what it started ends, or is told.
    ///
    /// - Returns: What did not end in time, in words.
    func stop(_ generation: Generation) async -> [String] {
        var overdue: [String] = []
        let instance = generation.instance
        let tasks = generation.scope.tasks
        tasks.cancel()
        do {
            try await withTimeLimit(stepLimit, of: "deactivate()") { await instance.deactivate() }
        } catch {
            overdue.append("'deactivate()' of module '\(generation.name)'")
        }
        do {
            try await withTimeLimit(stepLimit, of: "its tasks") { await tasks.finish() }
        } catch {
            overdue += tasks.names.map { "the task '\($0)' of module '\(generation.name)'" }
        }
        return overdue
    }

    // MARK: - Reasons

    func attempt(_ module: Module, _ step: () throws -> Void) {
        do {
            try step()
        } catch {
            module.state = .failed(explain(error, of: module.name))
        }
    }

    func explain(_ error: any Error, of module: String) -> any ExplainedError {
        error as? any ExplainedError ?? ModuleError.failed(module, in: "start", error)
    }
}

/// Lets a module register, and checks what it registered against its manifest.
@MainActor
enum Registering {
    /// - Returns: The registrations, complete and without findings.
    /// - Throws: ``ModuleError`` with everything that is wrong.
    static func run(
        _ instance: any FeatureModule, as scope: ModuleScope, _ manifest: ModuleManifest
    ) throws -> ModuleRegistry {
        let registry = ModuleRegistry(scope: scope)
        do {
            try instance.register(in: registry)
        } catch {
            throw ModuleError.failed(scope.name, in: "register", error)
        }
        registry.close()
        let findings = registry.findings + differences(registry, manifest, module: scope.name)
        guard findings.isEmpty else { throw ModuleError.findings(scope.name, findings) }
        return registry
    }

    private static func differences(
        _ registry: ModuleRegistry, _ manifest: ModuleManifest, module: String
    ) -> [RegistrationError] {
        let declared = manifest.screens.map(\.pattern)
        let registered = registry.screens.map(\.pattern.description)
        let undeclared = registered.filter { !declared.contains($0) }
        let unregistered = declared.filter { !registered.contains($0) }
        var findings: [RegistrationError] = []
        if !undeclared.isEmpty || !unregistered.isEmpty {
            findings.append(
                .screensDiffer(module: module, undeclared: undeclared, unregistered: unregistered))
        }
        // The host looks for infrastructure in manifests alone, without loading anything.
        let hidden = registry.infrastructureNames.filter { !manifest.provides.contains($0) }
        if !hidden.isEmpty { findings.append(.notDeclared(module: module, names: hidden)) }
        let missing = manifest.provides.filter { !registry.providedNames.contains($0) }
        if !missing.isEmpty { findings.append(.notProvided(module: module, names: missing)) }
        return findings
    }
}
