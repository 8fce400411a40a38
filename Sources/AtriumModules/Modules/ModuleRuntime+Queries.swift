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
            // The database that takes the place of one that a capability refuses.
            _ = try await generation.scope.infrastructure.database.read { _ in true }
            throw ModuleError(.notFound, "Module '\(module.name)' has no database here.")
        }
        let work = Task { try await database.answer(query) }
        let timer = Task {
            try await Task.sleep(for: DatabaseQuery.timeLimit)
            work.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            throw DatabaseError.tooSlow(of: module.name)
        }
    }
}
