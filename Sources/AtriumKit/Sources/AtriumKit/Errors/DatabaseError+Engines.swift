// Errors that all engines share, for modules that misuse their database.

@_spi(Host) extension DatabaseError {
    /// The error for a statement that a module can't run; `what` continues "Module 'Notes' …".
    public static func misuse(of owner: String, _ what: String, _ sql: String) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure, message: "Module '\(owner)' \(what): \"\(excerpt(of: sql))\".")
    }

    /// The error for a statement with the wrong number of arguments.
    public static func wrongCount(
        of given: Int, expected: Int, in sql: String, of owner: String
    ) -> DatabaseError {
        let arguments = given == 1 ? "1 argument" : "\(given) arguments"
        return misuse(of: owner, "gives \(arguments) to a statement that takes \(expected)", sql)
    }

    /// Returns a statement on one line, truncated to 160 characters.
    public static func excerpt(of sql: String) -> String {
        let line = sql.split { $0.isWhitespace || $0 == "\0" }.joined(separator: " ")
        return line.count > 160 ? line.prefix(160) + "…" : line
    }

    /// The error for a connection used after its closure has returned.
    public static func connectionEnded(of owner: String) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "Module '\(owner)' uses a database connection after the closure "
                + "that received it has ended.",
            hint: "Call read or write again, and use the connection inside the closure only.")
    }

    /// The error for statements that follow a failed one in the same transaction.
    public static func transactionEnded(of owner: String, by cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "The transaction of module '\(owner)' was rolled back by an earlier failure.",
            hint: "Rethrow the error of the failed statement from the closure.",
            cause: cause)
    }

    /// The error for a connection of a build that was refused.
    public static func discarded(of owner: String) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "This build of module '\(owner)' was refused, so it can't use the database.",
            hint: "Stop this task in deactivate().")
    }

    // MARK: - Migrations

    /// Returns the fault of a module's migrations; nil if there is none.
    ///
    /// They must be numbered 1, 2, 3 and so on, and have statements for `dialect`, if given.
    public static func fault(
        of migrations: [Migration], _ owner: String, on dialect: Dialect?
    ) -> DatabaseError? {
        misnumbered(migrations, owner) ?? dialect.flatMap { untranslated(migrations, owner, $0) }
    }

    private static func untranslated(
        _ migrations: [Migration], _ owner: String, _ dialect: Dialect
    ) -> DatabaseError? {
        guard let migration = migrations.first(where: { $0.sql(for: dialect) == nil }) else { return nil }
        return DatabaseError(
            code: .databaseUnsupported,
            message:
                "Module '\(owner)' can't store its data in \(dialect.name): migration \(migration.version) "
                + "'\(migration.name)' has no statements for it.",
            hint:
                "Give it some: Migration(\(migration.version), \"\(migration.name)\", \(dialect.rawValue): …)"
        )
    }

    private static func misnumbered(_ migrations: [Migration], _ owner: String) -> DatabaseError? {
        let numbers = migrations.map(\.version)
        guard numbers != Array(1...max(1, numbers.count)).prefix(numbers.count).map(\.self) else {
            return nil
        }
        let sorted = numbers.sorted()
        let problem: String
        if let first = sorted.first, first < 1 {
            problem = "has a migration \(first), but they count from 1"
        } else if let twice = zip(sorted, sorted.dropFirst()).first(where: ==)?.0 {
            let names = migrations.filter { $0.version == twice }.map { "'\($0.name)'" }
            problem = "has migration \(twice) more than once: \(names.joined(separator: ", "))"
        } else if let missing = (1...sorted.count).first(where: { !sorted.contains($0) }) {
            problem = "has no migration \(missing), but has \(sorted.last ?? 0)"
        } else {
            let order = numbers.map(String.init).joined(separator: ", ")
            problem = "has its migrations in the order \(order)"
        }
        return DatabaseError(
            code: "badMigrations", message: "Module '\(owner)' \(problem).",
            hint: "Number its migrations 1, 2, 3 and so on, in order, and never change one that was released."
        )
    }
}

extension Dialect {
    fileprivate var name: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgresql: "PostgreSQL"
        }
    }
}
