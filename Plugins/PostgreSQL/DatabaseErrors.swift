@_spi(Host) import AtriumKit

/// Explains the server's errors to the module that owns the tables.
struct Explainer: Sendable {
    let owner: String

    private var data: String { "The data of \(subject) in PostgreSQL" }

    /// The host's own shared tables have an owner with an underscore, which no module name has.
    private var subject: String { owner.contains("_") ? "the host" : "module '\(owner)'" }

    /// An error of the server, in a statement if there is one.
    func error(_ failure: ServerFailure, in sql: String? = nil, isReading: Bool = false) -> DatabaseError {
        guard let state = failure.state else { return unreachable(failure) }
        let statement = sql.map { " in \"\(DatabaseError.excerpt(of: $0))\"" } ?? ""
        switch state {
        case "23505": return refused(.uniqueViolation, failure)
        case "23503": return refused(.foreignKeyViolation, failure)
        case "23514": return refused(.checkViolation, failure)
        case "23502": return refused(.notNullViolation, failure)
        case _ where state.hasPrefix("23"): return refused(.databaseConstraint, failure)
        case "40001", "40P01":
            return DatabaseError(
                code: .databaseConflict,
                message: "\(data) were changed by others again and again: \(failure.words).",
                hint: "Try again; nothing was changed.", cause: failure)
        case "55P03":
            return DatabaseError(
                code: .databaseLocked,
                message: "\(data) are locked by another transaction for longer than 'lockLimit'.",
                hint: "Try again, or end the other transaction; nothing was changed.", cause: failure)
        case "57014":
            return DatabaseError(
                code: .databaseFailure,
                message: "A statement of \(subject) was ended after 'statementLimit'\(statement).",
                hint: "module configure PostgreSQL statementLimit=SECONDS", cause: failure)
        case "25006": return readOnly(failure, statement, isReading: isReading)
        case "53100":
            return DatabaseError(
                code: .diskFull, message: "The server has no space left for the data of \(subject).",
                hint: "Free some space on it, then try again; existing data are unchanged.", cause: failure)
        case "42501":
            return DatabaseError(
                code: .databaseUnwritable,
                message:
                    "The role of the host lacks a right for the data of \(subject): \(failure.words).",
                hint: "Docs/postgresql.md lists the rights that it needs.", cause: failure)
        case "54000" where failure.words.contains("index row"):
            return DatabaseError(
                code: .databaseConstraint, message: "\(data) refuse the change: \(failure.words).",
                hint: "Shorten the text: an index of PostgreSQL takes about 2,700 bytes.", cause: failure)
        case "42P01", "3F000":
            return DatabaseError(
                code: .databaseFailure, message: "\(data) report\(statement): \(failure.words).",
                hint:
                    "If the schema \"\(owner)\" was dropped, start the host again: it makes it anew, without "
                    + "data. If a table was, restore it from a backup.",
                cause: failure)
        case ServerFailure.tooOld:
            return DatabaseError(
                code: .databaseUnsupported, message: "The PostgreSQL server is too old: \(failure.words).",
                hint: "Use version 13 or a later one.", cause: failure)
        case ServerFailure.otherEncoding:
            return DatabaseError(
                code: .databaseUnsupported, message: "The database can't store all texts: \(failure.words).",
                hint: "Use one that was made with: createdb --encoding UTF8 --template template0 NAME",
                cause: failure)
        case _ where failure.isExhaustion:
            return DatabaseError(
                code: .databaseUnreachable,
                message: "The PostgreSQL server has no resources left for \(subject): \(failure.words).",
                hint: "Try again later, or raise the limit that the server's log names.", cause: failure)
        case _ where state.hasPrefix("08") || state.hasPrefix("57P") || state.hasPrefix("53"):
            return unreachable(failure)
        default:
            return DatabaseError(
                code: .databaseFailure, message: "\(data) report\(statement): \(failure.words).",
                cause: failure)
        }
    }

    private func readOnly(
        _ failure: ServerFailure, _ statement: String, isReading: Bool
    ) -> DatabaseError {
        guard isReading else {
            return DatabaseError(
                code: .databaseUnwritable,
                message: "The PostgreSQL server takes no changes of \(subject): \(failure.words).",
                hint: "Use the server that takes them, or end its read-only mode.", cause: failure)
        }
        return DatabaseError(
            code: .databaseFailure,
            message: "Module '\(owner)' runs a statement that writes inside read; use write\(statement).",
            hint: "A statement that writes needs write instead of read.", cause: failure)
    }

    private func refused(_ code: ErrorCode, _ failure: ServerFailure) -> DatabaseError {
        DatabaseError(code: code, message: "\(data) refuse the change: \(failure.words).", cause: failure)
    }

    private func unreachable(_ failure: ServerFailure) -> DatabaseError {
        let hint = Self.refusals.first { failure.words.contains($0.words) }?.hint
        let problem = failure.words.contains("FATAL:") ? "refuses" : "can't be reached for"
        return DatabaseError(
            code: .databaseUnreachable,
            message: "The PostgreSQL server \(problem) \(subject): \(failure.words).",
            hint: hint ?? "Check that it runs and that its URL is right, then try again.", cause: failure)
    }

    /// Hints by words in the server's or libpq's reason, which may be in another language.
    private static let refusals: [(words: String, hint: String)] = [
        ("certificate", "Give it the server's root certificate: sslrootcert=FILE in the URL."),
        (
            "password",
            "Put the password into ~/.pgpass, or the whole URL into a variable: --database @env:NAME."
        ),
        ("too many", moreConnections), ("connection slots", moreConnections),
        ("pg_hba.conf", "Let the host in: the server's pg_hba.conf says who may connect."),
        ("does not exist", "Create it on the server, or correct the URL."),
        ("query parameter", correctURL), ("definition of service", correctURL), ("URI", correctURL),
    ]
    private static let moreConnections =
        "Close other connections, or have this host use fewer: module configure PostgreSQL connections=NUMBER"
    private static let correctURL = "Correct the URL: postgresql://HOST/NAME"

    func unknownOutcome(_ failure: ServerFailure) -> DatabaseError {
        DatabaseError(
            code: .databaseOutcomeUnknown,
            message:
                "The connection to PostgreSQL was lost while a change of \(subject) was committed, "
                + "so whether it was done is not known: \(failure.words).",
            hint: "See what is there before you repeat it.", cause: failure)
    }

    // MARK: - Migrations

    func newer(_ version: Int, known: Int) -> DatabaseError {
        DatabaseError(
            code: .databaseNewer,
            message:
                "\(data) have version \(version), but this build of the module knows versions up to \(known).",
            hint: "Update module \(owner), or use another database: --database URL.")
    }

    func changed(_ migration: Migration) -> DatabaseError {
        DatabaseError(
            code: "badMigrations",
            message:
                "Migration \(migration.version) '\(migration.name)' of \(subject) is not the one that "
                + "made its tables in PostgreSQL.",
            hint: "Never change a migration that was released; add another one.")
    }

    func failed(_ migration: Migration, _ failure: ServerFailure, stays version: Int) -> DatabaseError {
        DatabaseError(
            code: error(failure).code,
            message: "Migration \(migration.version) '\(migration.name)' of \(subject) failed: "
                + "\(failure.words).",
            hint: failure.state == "42P07" && version == 0
                ? "The schema \"\(owner)\" has tables that Atrium did not make: use another database."
                : failure.state?.hasPrefix("42") == true && migration.isPortable
                    ? "If its statements are SQLite's, give it a variant: Migration(…, sqlite: …, postgresql: …)"
                    : "The data stay at version \(version).", cause: failure)
    }
}
