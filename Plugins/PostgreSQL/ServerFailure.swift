@_spi(Host) import AtriumKit
import CPostgreSQL

/// An error of the server, or of the connection to it.
struct ServerFailure: ExplainedError, RowFailure {
    /// The server's SQLSTATE; nil if it reported none, as libpq itself failed.
    private(set) var state: String?
    /// The message of the server or of libpq, on one line.
    private(set) var words: String
    /// True if another transaction created the same catalogue entry first, such as an extension.
    private(set) var isCatalogConflict = false
    /// True if the server refused the connection.
    private(set) var isRefusal = false
    /// True if the server ended a statement at its time limit.
    private(set) var isTimeout = false
    private(set) var row: Int?
    /// The name of the function of the server that reported it.
    private var function: String?
    private(set) var role = "", database = ""

    init(state: String? = nil, words: String) {
        self.state = state
        self.words = words
    }

    init(_ result: OpaquePointer?, on connection: OpaquePointer) {
        let field = { (code: Character) in
            PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        self.init(of: connection)
        state = field("C")
        if let primary = field("M") { words = Self.line(primary) }
        isCatalogConflict = state == "23505" && field("s") == "pg_catalog"
        row = field("W").flatMap(Self.row)
        function = field("R")
    }

    /// The failure of a connection, reported by libpq.
    init(of connection: OpaquePointer?) {
        self.init(words: Self.line(PQerrorMessage(connection).map { String(cString: $0) } ?? "out of memory"))
        role = PQuser(connection).map { String(cString: $0) } ?? ""
        database = PQdb(connection).map { String(cString: $0) } ?? ""
    }

    /// The same failure, with the state in a verbose message of libpq: `…: FATAL:  53300: …`.
    ///
    /// Of several servers, the last counts.
    func refused(verbosely message: String) -> ServerFailure {
        var failure = self
        failure.isRefusal = true
        failure.state = message.ranges(of: ":  ").map { message[$0.upperBound...] }
            .last { $0.dropFirst(5).hasPrefix(": ") && $0.prefix(5).allSatisfy(\.isStateCharacter) }
            .map { String($0.prefix(5)) }
        return failure
    }

    /// The same failure, if the statement was ended at its limit.
    func timedOut() -> ServerFailure {
        var failure = self
        failure.isTimeout = true
        return failure
    }

    /// The row in the context of an error: `COPY entities, line 3: …`, in the server's language.
    private static func row(_ context: String) -> Int? {
        guard context.hasPrefix("COPY "), let comma = context.firstRange(of: ", ") else { return nil }
        return Int(context[comma.upperBound...].drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isNumber })
    }

    private static func line(_ words: String) -> String {
        let lines = words.split(whereSeparator: \.isNewline).map { $0.trimmed }
        // Leave out libpq's questions, such as whether the server is running; the hint covers them.
        let told = lines.filter { !$0.hasSuffix("?") }
        var line = (told.isEmpty ? lines : told).joined(separator: "; ")
        // The text becomes part of a sentence.
        while line.last.map({ ".?!".contains($0) }) == true { line.removeLast() }
        return line
    }

    var code: ErrorCode { "postgresql" }
    var message: String { "\(isOfServer ? "SQLSTATE \(state ?? ""): " : "")\(words)." }
    /// True if the state comes from the server, not from the engine.
    private var isOfServer: Bool { state?.utf8.count == 5 }
    var hint: String? { nil }
    var cause: (any Error)? { nil }
    var category: ErrorCategory { .failure }

    /// True if the transaction may succeed if it is run again: a conflict with another one, or a deadlock.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// True if another transaction held a lock for longer than the limit.
    var isLocked: Bool { state == "55P03" }

    /// True if the database takes no changes.
    var isReadOnly: Bool { state == "25006" }

    /// True if a text is too long for an index.
    var isIndexLimit: Bool { state == "54000" && function.map(Self.indexFunctions.contains) == true }
    private static let indexFunctions: Set = [
        "_bt_check_third_page", "index_form_tuple", "index_form_tuple_context", "GinFormTuple",
    ]

    /// True if a statement was cancelled, or took too long.
    var isCancelled: Bool { state == "57014" }

    /// The server has not answered in time.
    static func silent(for seconds: Double) -> ServerFailure {
        ServerFailure(words: "the server has not answered for \(Int(seconds)) seconds")
    }

    /// A transaction locked other changes out for too long.
    static var tooLongAlone: ServerFailure {
        ServerFailure(state: "40001", words: "the change blocked others for too long")
    }

    /// A transaction without conflict detection did more than insert rows.
    static var unchecked: ServerFailure {
        ServerFailure(state: withoutDetection, words: "the change needs conflict detection")
    }
    var isUnchecked: Bool { state == Self.withoutDetection }

    /// True if a resource of the server is used up, such as its shared memory.
    var isExhaustion: Bool { state == "53200" || state == "53400" || state == "53000" }

    /// True if the server, the database or the role has no connection left.
    ///
    /// A full PgBouncer reports another state; its messages are in English.
    var isOfConnectionLimit: Bool { state == "53300" || words.contains("no more connections allowed") }

    /// True if the connection was lost: it broke, or an administrator ended it.
    var isLoss: Bool { state.map { $0.hasPrefix("57P") || $0.hasPrefix("08") } ?? true }

    /// True if a prepared statement may be outdated because the tables were changed.
    var isStale: Bool { state == "0A000" || isOfOtherType }
    /// True if an argument of a statement prepared earlier does not fit its type at that time.
    private var isOfOtherType = false

    /// Records that the statement was prepared earlier.
    mutating func isOfOldStatement() { isOfOtherType = state == "42804" || state == "22P02" }

    /// True if an uncommitted transaction may be run again from its start.
    var mayBeRunAgain: Bool { isConflict || isLoss || isStale || isExhaustion || isUnchecked }
}

extension Character {
    fileprivate var isStateCharacter: Bool { isASCII && (isNumber || isUppercase) }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.prefix(
            upTo: (start.lastIndex { !$0.isWhitespace }).map(start.index(after:)) ?? start.endIndex)
    }
}
