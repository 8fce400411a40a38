@_spi(Host) internal import AtriumKit
internal import CSQLite
internal import Glibc

/// The callbacks of a connection, which SQLite calls on the thread that holds the database's gate.
final class ConnectionCallbacks {
    /// The reason the authorizer refused a statement.
    enum Refusal {
        case transactionControl
        case attaching
        /// A PRAGMA that changes the connection or the file beyond its statement.
        case setting
        /// A query of a user that does more than read.
        case notReading
        /// A query of a user that uses a column with secrets.
        case hidden(column: String, table: String)
    }

    /// The cancellation of the running job.
    var cancellation: CancellationFlag?
    /// True while the host's own statements run: `BEGIN`, `COMMIT`, `ROLLBACK` and every PRAGMA are allowed.
    var isOfHost = false
    /// True to wait for locks of other connections.
    var waitsForLocks = true
    var refusal: Refusal?
    /// What holds values of secret columns, for the query of a user.
    var secrets: DerivedSecrets?

    private let busyTimeout: Duration
    /// The query of a user; nil on the connection of a module.
    private let query: DatabaseQuery?
    private var deadline = ContinuousClock.now

    var isForUser: Bool { query != nil }

    init(busyTimeout: Duration, for query: DatabaseQuery? = nil) {
        (self.busyTimeout, self.query) = (busyTimeout, query)
    }

    /// Installs the callbacks; the object must live until the connection is closed.
    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            connection, { ConnectionCallbacks.of($0).waitForLock(attempt: $1) ? 1 : 0 }, context)
        // Not sqlite3_interrupt: SQLite ignores it just before the first step of a statement, and a late one
        // would reach the next job.
        sqlite3_progress_handler(
            connection, Self.instructionsBetweenChecks,
            { ConnectionCallbacks.of($0).cancellation?.shouldStop() == true ? 1 : 0 }, context)
        sqlite3_set_authorizer(
            connection,
            { context, action, name, value, _, _ in
                ConnectionCallbacks.of(context).authorize(action, name, value)
            }, context)
    }

    /// About 20 µs of work; the checks cost less than 0.1 %.
    private static let instructionsBetweenChecks: Int32 = 2000

    private static func of(_ context: UnsafeMutableRawPointer?) -> ConnectionCallbacks {
        Unmanaged<ConnectionCallbacks>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Waits a little for another connection's lock.
    ///
    /// - Returns: True if to try again; false after the timeout or a cancellation.
    func waitForLock(attempt: Int32) -> Bool {
        guard waitsForLocks else { return false }
        if cancellation?.isBrief == true { cancellation?.cancel() }
        if attempt == 0 { deadline = .now + busyTimeout }
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero, cancellation?.isCancelled != true else { return false }
        Self.sleep(min(remaining, attempt < 10 ? .milliseconds(1) : .milliseconds(10)))
        return true
    }

    static func sleep(_ duration: Duration) {
        usleep(UInt32(clamping: duration.wholeMicroseconds))
    }

    /// True for a PRAGMA whose value is an argument, ends with the transaction, or limits the module alone.
    private static func isHarmless(_ name: UnsafePointer<CChar>?) -> Bool {
        guard let name = name.map({ String(cString: $0).lowercased() }) else { return false }
        return harmless.contains(name)
    }

    private static let harmless: Set = [
        "defer_foreign_keys", "foreign_key_check", "foreign_key_list", "incremental_vacuum", "index_info",
        "index_list", "index_xinfo", "integrity_check", "max_page_count", "optimize", "quick_check",
        "table_info", "table_list", "table_xinfo",
    ]

    private func authorize(
        _ action: Int32, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
    ) -> Int32 {
        let hasValue = value != nil
        if let query, !isOfHost {
            guard
                let reason = refusal(
                    of: action, name.map { String(cString: $0) } ?? "",
                    value.map { String(cString: $0) } ?? "", in: query)
            else { return SQLITE_OK }
            refusal = reason
            return SQLITE_DENY
        }
        switch action {
        case SQLITE_TRANSACTION where !isOfHost: refusal = .transactionControl
        case SQLITE_PRAGMA where hasValue && !isOfHost && !Self.isHarmless(name): refusal = .setting
        case SQLITE_ATTACH, SQLITE_DETACH: refusal = .attaching
        default: return SQLITE_OK
        }
        return SQLITE_DENY
    }
}

// MARK: - Queries of users

extension ConnectionCallbacks {
    /// Returns the reason to refuse an action of a user's query; nil to allow it.
    fileprivate func refusal(
        of action: Int32, _ name: String, _ value: String, in query: DatabaseQuery
    ) -> Refusal? {
        switch action {
        case SQLITE_SELECT, SQLITE_RECURSIVE: nil
        // Asked for each 'pragma_' table that is read; a file that is open for reading can't be changed.
        case SQLITE_UPDATE where name == "sqlite_master": nil
        case SQLITE_READ: refusal(ofReading: value, of: name, in: query)
        case SQLITE_FUNCTION: Self.refusedFunctions.contains(value.lowercased()) ? .notReading : nil
        case SQLITE_PRAGMA: Self.descriptions.contains(name.lowercased()) ? nil : .notReading
        default: .notReading
        }
    }

    private func refusal(
        ofReading column: String, of table: String, in query: DatabaseQuery
    ) -> Refusal? {
        if query.hides(column) || secrets?.hides(column, of: table) == true {
            return .hidden(column: column, table: table)
        }
        let table = table.lowercased()
        // Statistics and pages hold values of every column.
        let isInternal = table.hasPrefix("sqlite_") || table.hasPrefix("dbstat")
        guard isInternal || table.hasPrefix("pragma_") else { return nil }
        return Self.schemaTables.contains(table) || Self.descriptions.contains(String(table.dropFirst(7)))
            ? nil : .notReading
    }

    private static let schemaTables: Set = ["sqlite_master", "sqlite_schema", "sqlite_sequence"]
    /// Functions that load code, or change memory of the process.
    private static let refusedFunctions: Set = ["load_extension", "fts3_tokenizer"]
    /// The settings that only describe tables; a full-text index reads the last one.
    private static let descriptions: Set = [
        "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list",
        "table_xinfo", "data_version",
    ]
}
