@_spi(Host) internal import AtriumKit
internal import AtriumManifest

extension ModuleRuntime {
    /// The infrastructure of one type, from the module that provides it, which is loaded where it was not yet.
    ///
    /// - Throws: ``ModuleError`` where no module provides it, or the one that would can't be loaded; what its
    ///   factory throws.
    package func infrastructure<Value>(_ type: Value.Type) async throws -> Value {
        try await provide(RegistrationKey.name(of: type))
        return try container.value(type, .infrastructure)
    }

    /// Loads, tries and activates the module that provides the type called `name`, where none does yet.
    ///
    /// The load is a change like any other: it waits for one that is under way, and fails as a whole.
    ///
    /// - Throws: ``ModuleError`` that says which module would provide it, why it does not, and what can be done.
    package func provide(_ name: String) async throws {
        let providers = modules.filter { $0.manifest?.provides.contains(name) == true }
        if providers.contains(where: \.state.isActive) { return }
        guard let module = providers.first(where: \.isOnDemand) ?? providers.first else {
            throw ModuleError.nobodyProvides(name, removed: removedProvider(of: name))
        }
        guard module.isOnDemand else { throw ModuleError.notProvided(name, by: module.name, module.state) }
        if await startWhileStarting(module) {
            guard module.state.isActive else {
                throw ModuleError.notProvided(name, by: module.name, module.state)
            }
            return
        }
        var request = ChangeRequest(.demand)
        request.demands = [module.name]
        do {
            _ = try await change(request)
        } catch let error as any ExplainedError {
            throw ModuleError.notProvided(name, by: module.name, error)
        }
    }

    /// The library that provides the type called `name`, of a module that was removed or is not configured.
    private func removedProvider(of name: String) -> String? {
        let found = reader.searchPaths.flatMap { (try? ModuleLibraries.libraries(in: $0)) ?? [] }
        let paths = removed.values.compactMap(\.path) + found
        return paths.first { (try? reader.discover($0))?.manifest.provides.contains(name) == true }
    }
}

extension ModuleError {
    static func nobodyProvides(_ name: String, removed path: String?) -> ModuleError {
        ModuleError(
            .moduleNotActive,
            "No module provides \(name)\(path.map { ", but '\($0)' would" } ?? "").",
            hint: path.map { "module add \($0)" } ?? "Add a module that provides it to modules.json.")
    }

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
