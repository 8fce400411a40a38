@_spi(Host) import AtriumKit

/// Explains the server's errors to the module that owns the tables.
struct Explainer: Sendable {
    let owner: String

    private var data: String { "The data of \(subject) in PostgreSQL" }

    /// The host's own shared tables have an owner with an underscore, which no module name has.
    private var subject: String { owner.contains("_") ? "the host" : "module '\(owner)'" }

    /// An error of the server, in a statement if there is one.
    func error(_ failure: ServerFailure, in sql: String? = nil, isReading: Bool = false) -> DatabaseError {
        guard let state = failure.state, !failure.isRefusal else { return unreachable(failure) }
        let statement = sql.map { " in \"\(DatabaseError.excerpt(of: $0))\"" } ?? ""
        if let code = Self.constraints[state] ?? (state.hasPrefix("23") ? .databaseConstraint : nil) {
            return refused(code, failure)
        }
        if failure.isReadOnly { return readOnly(failure, statement, isReading: isReading) }
        if let explained = explained(failure, state, statement) ?? explained(failure, state) {
            return DatabaseError(
                code: explained.code, message: explained.message, hint: explained.hint, cause: failure)
        }
        if ["08", "57P", "53"].contains(where: state.hasPrefix) { return unreachable(failure) }
        return DatabaseError(
            code: .databaseFailure, message: "\(data) report\(statement): \(failure.words).", cause: failure)
    }

    private static let constraints: [String: ErrorCode] = [
        "23505": .uniqueViolation, "23503": .foreignKeyViolation, "23514": .checkViolation,
        "23502": .notNullViolation,
    ]

    private typealias Explanation = (code: ErrorCode, message: String, hint: String)

    /// An error of a statement whose state calls for a certain hint.
    private func explained(
        _ failure: ServerFailure, _ state: String, _ statement: String
    ) -> Explanation? {
        switch state {
        case "40001", "40P01":
            (
                .databaseConflict, "\(data) were changed by others again and again: \(failure.words).",
                "Try again; nothing was changed."
            )
        case "55P03":
            (
                .databaseLocked, "\(data) are locked by another transaction for longer than 'lockLimit'.",
                "Try again, or end the other transaction; nothing was changed."
            )
        case "57014" where failure.isTimeout:
            (
                .databaseFailure, "A statement of \(subject) was ended after 'statementLimit'\(statement).",
                "module configure PostgreSQL statementLimit=SECONDS"
            )
        case "57014":
            (
                .databaseFailure, "A statement of \(subject) was cancelled on the server\(statement).",
                "Ask the server's administrator, or try again; nothing was changed."
            )
        case "53100":
            (
                .diskFull, "The server has no space left for the data of \(subject).",
                "Free some space on it, then try again; existing data are unchanged."
            )
        case "42501":
            (
                .databaseUnwritable,
                "The role '\(failure.role)' lacks a right for the data of \(subject): \(failure.words).",
                usage(by: failure.role)
            )
        case "54000" where failure.isIndexLimit:
            (
                .databaseConstraint, "\(data) refuse the change: \(failure.words).",
                "Shorten the text: an index of PostgreSQL takes about 2,700 bytes."
            )
        case "42P01" where failure.words.contains(ChangeTable.schema),
            "3F000" where failure.words.contains(ChangeTable.schema):
            (
                .databaseFailure,
                "The schema \"\(ChangeTable.schema)\", in which hosts announce changes, was dropped.",
                "Try again: hosts create it again within a few seconds. Nothing was changed."
            )
        case "42P01", "3F000":
            (
                .databaseFailure, "\(data) report\(statement): \(failure.words).",
                "If the schema \"\(owner)\" was dropped, restart the host to create it without data. "
                    + "If a table was dropped, restore it from a backup."
            )
        default: nil
        }
    }

    /// The statements that let a role use the tables.
    private func usage(by role: String) -> String {
        let schemas = "SCHEMA \"\(owner)\"" + (owner == ChangeTable.schema ? "" : ", \(ChangeTable.schema)")
        return "GRANT USAGE ON \(schemas) TO \"\(role)\"; "
            + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN \(schemas) TO \"\(role)\""
    }

    /// An error of the server as a whole.
    private func explained(_ failure: ServerFailure, _ state: String) -> Explanation? {
        switch state {
        case ServerFailure.tooOld:
            (
                .databaseUnsupported, "The PostgreSQL server is too old: \(failure.words).",
                "Use version 13 or a later one."
            )
        case ServerFailure.otherEncoding:
            (
                .databaseUnsupported, "The database can't store all texts: \(failure.words).",
                "Use one that was made with: createdb --encoding UTF8 --template template0 NAME"
            )
        case ServerFailure.standby:
            (
                .databaseUnwritable,
                "The PostgreSQL server takes no changes of \(subject): \(failure.words).",
                "Use the primary: name all servers in the URL, with target_session_attrs=read-write."
            )
        case ServerFailure.pooled:
            (
                .databaseUnsupported,
                "The pooler of the PostgreSQL server gives each transaction another session: \(failure.words).",
                "Use a pooler in session mode, or the server's own address."
            )
        case _ where failure.isExhaustion:
            (
                .databaseUnreachable,
                "The PostgreSQL server has no resources left for \(subject): \(failure.words).",
                "Try again later, or raise the limit that the server's log names."
            )
        default: nil
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
        let hint =
            failure.isOfConnectionLimit
            ? "Close other connections, or have this host use fewer: "
                + "module configure PostgreSQL connections=NUMBER"
            : failure.isRefusal
                ? hint(ofRefusal: failure) : Self.problems.first { failure.words.contains($0.words) }?.hint
        let problem = failure.isRefusal ? "refuses" : "can't be reached for"
        return DatabaseError(
            code: .databaseUnreachable,
            message: "The PostgreSQL server \(problem) \(subject): \(failure.words).",
            hint: hint ?? "Check that it runs and that its URL is right, then try again.", cause: failure)
    }

    private func hint(ofRefusal failure: ServerFailure) -> String? {
        switch failure.state {
        case "28P01": Self.givePassword
        case "28000": "Create the role, or let the host in: the server's pg_hba.conf says who may connect."
        case "3D000": "Create it on the server, or correct the URL."
        case "42501": "GRANT CONNECT ON DATABASE \"\(failure.database)\" TO \"\(failure.role)\""
        case "57P03": "Try again once it has started."
        default: nil
        }
    }

    /// Hints by words in libpq's reason, which is in English: the host sets no other language.
    private static let problems: [(words: String, hint: String)] = [
        ("certificate", "Give it the server's root certificate: sslrootcert=FILE in the URL."),
        ("password", givePassword),
        ("query parameter", correctURL), ("definition of service", correctURL), ("URI", correctURL),
    ]
    private static let givePassword =
        "Put the password into ~/.pgpass, or the whole URL into a variable: --database @env:NAME."
    private static let correctURL = "Correct the URL: postgresql://HOST/NAME"

    func unknownOutcome(_ failure: ServerFailure) -> DatabaseError {
        DatabaseError(
            code: .databaseOutcomeUnknown,
            message:
                "The connection to PostgreSQL was lost while a change of \(subject) was committed, "
                + "so whether it was done is not known: \(failure.words).",
            hint: "Check what was done before you repeat it.", cause: failure)
    }

    // MARK: - Migrations

    func newer(_ version: Int, known: Int) -> DatabaseError {
        DatabaseError(
            code: .databaseNewer,
            message:
                "\(data) have version \(version), but this build of \(subject) knows versions up to \(known).",
            hint:
                "Update \(owner.contains("_") ? "atrium" : "module \(owner)"), or use another database: --database URL."
        )
    }

    func changed(_ migration: Migration) -> DatabaseError {
        DatabaseError(
            code: "badMigrations",
            message:
                "Migration \(migration.version) '\(migration.name)' of \(subject) is not the one that "
                + "made its tables in PostgreSQL.",
            hint: "Never change a migration that was released; add another one.")
    }

    /// The role may not make or change the tables.
    func unmigratable(_ failure: ServerFailure) -> DatabaseError {
        let explained = error(failure)
        guard failure.state == "42501" else { return explained }
        return DatabaseError(
            code: explained.code, message: explained.message, hint: Self.creation(by: failure),
            cause: failure)
    }

    private static func creation(by failure: ServerFailure) -> String {
        "Run the migrations with the role that owns the tables, atrium database migrate --to URL, or: "
            + "GRANT CREATE ON DATABASE \"\(failure.database)\" TO \"\(failure.role)\""
    }

    func failed(_ migration: Migration, _ failure: ServerFailure, stays version: Int) -> DatabaseError {
        DatabaseError(
            code: error(failure).code,
            message: "Migration \(migration.version) '\(migration.name)' of \(subject) failed: "
                + "\(failure.words).",
            hint: failure.state == "42P07" && version == 0
                ? "The schema \"\(owner)\" has tables that Atrium did not make: use another database."
                : failure.state == "42501"
                    ? Self.creation(by: failure)
                    : failure.state?.hasPrefix("42") == true && migration.isPortable
                        ? "If its statements are SQLite's, give it a variant: Migration(…, sqlite: …, postgresql: …)"
                        : "The data stay at version \(version).", cause: failure)
    }
}
