@_spi(Host) package import AtriumKit
internal import AtriumLibraries

extension ModuleRuntime {
    /// Runs a query in a module's database, up to the time limit; a module on demand is loaded first.
    ///
    /// - Throws: ``ModuleError`` if the module is not active; ``DatabaseError``.
    package func answer(
        _ sql: String?, limit: Int, isPlan: Bool, of module: Module
    ) async throws -> DatabaseAnswer {
        if module.isOnDemand { try await load(module) }
        guard let generation = module.current, module.state.isActive else {
            throw ModuleError.notActive(module.name, state: module.state)
        }
        let query = DatabaseQuery(
            sql, limit: limit, isPlan: isPlan, secrets: generation.registry.secretFields)
        guard let database = generation.database else {
            // This database throws the refusal of a capability, if there is one.
            _ = try await generation.scope.infrastructure.database.read { _ in true }
            throw ModuleError(.notFound, "Module '\(module.name)' has no database here.")
        }
        do {
            return try await withTimeLimit(DatabaseQuery.timeLimit, of: "The query") {
                try await database.answer(query)
            }
        } catch let error as ServiceError where error.code == .timedOut {
            throw DatabaseError.tooSlow(of: module.name, cause: error)
        }
    }
}
