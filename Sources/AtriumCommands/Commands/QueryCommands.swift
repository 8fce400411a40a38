@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// The command that reads a module's database.
extension HostCommands {
    @ActionsBuilder var queries: [Action] {
        Action(
            "sql", "Run a query in a module's database, which it can't change, or list the tables",
            effect: .reads,
            Argument<String>("module", "The module", suggestions: moduleNames),
            Argument<String?>("query", "A SELECT in quotes; without it, list the tables"),
            Argument("limit", "The most rows to show", default: 100),
            Argument("plan", "Show how the database runs the query instead", default: false)
        ) { name, query, limit, isPlan in
            let module = try module(name)
            guard host.environment != .mock else {
                throw ShellError(
                    "wrongEnvironment", "In environment mock, modules use no database.",
                    hint: "atrium --env local")
            }
            guard (1...1_000).contains(limit) else {
                throw ArgumentError(
                    .invalidArgument, "'limit' of 'sql' must be from 1 to 1000, not \(limit).",
                    hint: "sql \(name) QUERY --limit 1000")
            }
            if let query, query.trimmed.isEmpty {
                throw ArgumentError(
                    .missingArgument, "The query of 'sql' is empty.", hint: "sql \(module.name)")
            }
            let answer = try await host.runtime.answer(query, limit: limit, isPlan: isPlan, of: module)
            return .content(QueryViews.content(of: answer))
        }
    }
}
