@_spi(Host) import AtriumKit

/// Runs a query that a user typed, on a connection that is closed afterwards.
///
/// The server reads the query as the definition of a view, which runs nothing; the definition names what the
/// query uses, whatever its text. Then the transaction becomes read-only, and the host selects from the view
/// alone. Nothing is committed.
struct UserQuery {
    let query: DatabaseQuery
    let migrator: Migrator
    let connection: ServerConnection
    let cancellation: Cancellation

    private var explainer: Explainer { migrator.explainer }

    func answer() throws -> DatabaseAnswer {
        do {
            try connection.run(
                """
                BEGIN ISOLATION LEVEL REPEATABLE READ;
                SET LOCAL search_path TO \(migrator.schema);
                SET LOCAL statement_timeout = \(DatabaseQuery.timeLimit.components.seconds * 1000 + 1000)
                """)
            guard let sql = query.sql else { return try answer(of: connection.run(Self.tables)) }
            try define(sql)
            try check()
            try connection.run("SET TRANSACTION READ ONLY")
            return try query.isPlan ? plan() : rows()
        } catch let failure as ServerFailure {
            if failure.isReadOnly {
                throw DatabaseError.notReading(
                    "writes, or locks rows", of: explainer.owner, cause: failure)
            }
            let error = explainer.error(failure, in: query.sql)
            throw DatabaseError(
                code: error.code, message: error.message, hint: hint(for: failure) ?? error.hint,
                cause: failure)
        }
    }

    private func hint(for failure: ServerFailure) -> String? {
        switch failure.state {
        // The explainer's hint about dropped tables is for modules.
        case "42P01": "module \(explainer.owner) --tables"
        // Two columns of one name.
        case "42701": "Name each column: SELECT a.id AS a, b.id AS b"
        default: nil
        }
    }

    private static let tables = """
        SELECT relname AS "table", string_agg(attname, ', ' ORDER BY attnum) AS columns FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        WHERE relnamespace = to_regnamespace(quote_ident(current_schema)) AND relkind IN ('r', 'p', 'v')
        AND relname <> 'atrium_migrations' GROUP BY relname ORDER BY relname
        """

    /// Creates the view; the server refuses several statements, and statements other than queries.
    private func define(_ sql: String) throws {
        let definition = "CREATE TEMPORARY VIEW \(Self.view) AS \(sql)"
        let statement = try connection.statement(definition, in: migrator.schema)
        guard statement.parameterCount == 0 else {
            throw DatabaseError.notReading("has parameters", of: explainer.owner)
        }
        _ = try connection.run(statement, [], cancellation)
    }

    private static let view = "pg_temp.atrium_query"

    /// Refuses a query that uses more than tables of the module and functions of the server that only read.
    private func check() throws {
        let others = try connection.run(Self.others, cancellation)
        if let other = others.firstText {
            throw DatabaseError.notReading("uses \(other), which may do more than read", of: explainer.owner)
        }
        let columns = try connection.run(Self.columns, cancellation)
        for row in 0..<columns.rowCount {
            guard let table = columns.text(row, 0), let column = columns.text(row, 1), query.hides(column)
            else { continue }
            throw DatabaseError.hidden(column, of: table, in: explainer.owner)
        }
    }

    /// Relations outside of the schema, and functions that may change something, run SQL of their own, or show
    /// what other sessions do.
    private static let others = """
        WITH used AS (
            SELECT found[1] AS kind, found[2]::oid AS oid
            FROM pg_rewrite, regexp_matches(
                ev_action::text, ':(relid|funcid|opfuncid|aggfnoid|winfnoid) (\\d+)', 'g') AS found
            WHERE ev_class = '\(view)'::regclass
        )
        SELECT format('%I', relname) FROM used JOIN pg_class ON pg_class.oid = used.oid
        WHERE kind = 'relid' AND pg_class.oid <> '\(view)'::regclass
        AND relnamespace IS DISTINCT FROM to_regnamespace(quote_ident(current_schema))::oid
        UNION ALL
        SELECT format('%I()', proname) FROM used JOIN pg_proc ON pg_proc.oid = used.oid
        WHERE kind <> 'relid' AND (
            provolatile = 'v' OR pronamespace <> 'pg_catalog'::regnamespace
            OR proname ~ '^pg_|_to_xml|^current_setting$')
        LIMIT 1
        """

    /// The columns that the query and the views in it use, and those that generated ones are computed from,
    /// with their tables; all of their tables if one of them uses whole rows as values.
    private static let columns = """
        WITH RECURSIVE rules AS (
            SELECT oid FROM pg_rewrite WHERE ev_class = '\(view)'::regclass
            UNION
            SELECT of_view.oid FROM rules JOIN pg_depend ON objid = rules.oid
            AND classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
            JOIN pg_rewrite AS of_view ON of_view.ev_class = refobjid
        ), used AS (
            SELECT attrelid, attnum FROM rules JOIN pg_rewrite ON pg_rewrite.oid = rules.oid
            JOIN pg_depend ON objid = rules.oid
            JOIN pg_class ON pg_class.oid = refobjid AND pg_class.oid <> ev_class
            JOIN pg_attribute ON attrelid = refobjid AND attnum > 0
            AND (refobjsubid = attnum OR ev_action::text LIKE '%:varattno 0 %')
            WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
            AND NOT attisdropped
        ), sources AS (
            SELECT attrelid, attnum FROM used
            UNION
            SELECT refobjid, refobjsubid FROM used
            JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
            JOIN pg_depend ON objid = pg_attrdef.oid AND classid = 'pg_attrdef'::regclass
            AND refclassid = 'pg_class'::regclass AND refobjid = adrelid AND refobjsubid > 0
        )
        SELECT relname, attname FROM sources JOIN pg_attribute USING (attrelid, attnum)
        JOIN pg_class ON pg_class.oid = attrelid
        """

    private func rows() throws -> DatabaseAnswer {
        try connection.run("DECLARE answer NO SCROLL CURSOR FOR \(Self.measuredRows)", cancellation)
        // One at a time: the library keeps all rows of a result in memory.
        let next = { try connection.run("FETCH 1 FROM answer", cancellation) }
        var result = try next()
        var answer = DatabaseAnswer(result.columnNames.dropLast(), limit: query.limit)
        while let row = try result.rows({ $0.all }).first, answer.add(row.dropLast()) {
            guard row.last == .integer(0) else { throw DatabaseError.tooLarge(of: explainer.owner) }
            result = try next()
        }
        return answer
    }

    /// Each row and whether it is too large to be sent, which the server finds out by its text; it then sends
    /// NULLs.
    private static let measuredRows = """
        SELECT (sent).*, large FROM (
            SELECT CASE WHEN octet_length(atrium_row::text) <= \(largestRow) THEN atrium_row END AS sent,
            (octet_length(atrium_row::text) > \(largestRow))::int AS large
            FROM \(view) AS atrium_row OFFSET 0
        ) AS measured
        """
    /// 1 MB of bytes, each two digits of the text.
    private static let largestRow = 2 << 20

    private func plan() throws -> DatabaseAnswer {
        try answer(of: connection.run("EXPLAIN SELECT * FROM \(Self.view)", cancellation))
    }

    private func answer(of result: ServerResult) throws -> DatabaseAnswer {
        var answer = DatabaseAnswer(result.columnNames, limit: query.isPlan ? .max : query.limit)
        var isFull = false
        _ = try result.rows { row in
            guard !isFull else { return }
            isFull = !answer.add(row.all)
        }
        return answer
    }
}
