@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// The seeds of all modules, by name, each with its modules in the order in which they add data.
    ///
    /// Loads the modules on demand, whose seeds are not known before.
    package func seeds() async throws -> [(name: String, modules: [String])] {
        for module in modules where module.isOnDemand && module.manifest?.provides.isEmpty == true {
            try await load(module)
        }
        var found: [String: [String]] = [:]
        for generation in started.compactMap(\.current) {
            for seed in generation.registry.seeds { found[seed.name, default: []].append(generation.name) }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Adds the data of a seed, module by module: each after those that it requires.
    ///
    /// - Throws: ``ModuleError`` that names the module; the data of those before it stay.
    package func addSeed(_ name: String) async throws {
        let number = try work.begin()
        defer { work.end(number) }
        var done: [String] = []
        for generation in started.compactMap(\.current) {
            guard let seed = generation.registry.seeds.first(where: { $0.name == name }) else { continue }
            do {
                try await seed.add(in: container, for: generation.scope)
            } catch {
                try Task.checkCancellation()
                throw ModuleError.seed(name, of: generation.name, error, after: done)
            }
            done.append(generation.name)
        }
    }
}

extension ModuleError {
    fileprivate static func seed(
        _ name: String, of module: String, _ error: any Error, after done: [String]
    ) -> ModuleError {
        let before = done.isEmpty ? "" : " Added before: \(done.joined(separator: ", "))."
        return ModuleError(
            "seedFailed",
            "Seed '\(name)' of module '\(module)' failed: \(ModuleError.message(of: error))\(before)",
            hint: (error as? any ExplainedError)?.hint, cause: error)
    }
}
