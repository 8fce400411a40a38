@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// The forms of `module NAME` that read the module's database.
extension HostCommands {
    /// The rows of a query, or the tables without one.
    func answer(_ sql: String?, limit: Int?, explains: Bool, of module: Module) async throws -> Content {
        guard host.environment != .mock else {
            throw ShellError(
                "wrongEnvironment", "In environment mock, modules use no database.",
                hint: "atrium --env local")
        }
        guard (1...1_000).contains(limit ?? 1) else {
            throw ArgumentError(
                .invalidArgument, "'limit' of 'module' must be from 1 to 1000, not \(limit ?? 0).",
                hint: "module \(module.name) --sql QUERY --limit 1000")
        }
        return QueryViews.content(
            of: try await host.runtime.answer(
                sql, limit: limit ?? (sql == nil ? 1_000 : 100), isPlan: explains, of: module))
    }

    /// - Throws: ``ArgumentError`` for arguments of a query without one.
    func checkQuery(_ sql: String?, _ limit: Int?, explains: Bool, tables: Bool, of module: Module) throws {
        guard sql == nil ? limit != nil || explains : tables else { return }
        throw ArgumentError(
            .missingArgument,
            sql == nil
                ? "'limit' and 'explain' of 'module' need a query." : "Give either 'sql' or 'tables'.",
            hint: "module \(module.name) --sql QUERY")
    }
}
