import AtriumKit
import CPostgreSQL

/// An error of the server, or of the connection to it.
struct ServerFailure: ExplainedError {
    /// The server's SQLSTATE; nil if the connection failed.
    let state: String?
    /// The words of the server or of libpq, on one line.
    let words: String
    /// Whether another transaction made the same thing of the server's catalogue first, such as an extension.
    private(set) var isCatalogConflict = false

    init(state: String? = nil, words: String) {
        self.state = state
        self.words = words
    }

    /// What a result says, which is no success.
    init(_ result: OpaquePointer?, on connection: OpaquePointer) {
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
        let primary = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        self.init(
            state: state,
            words: Self.line(primary ?? PQerrorMessage(connection).map { String(cString: $0) } ?? "no reason")
        )
        let schema = PQresultErrorField(result, Int32(UInt8(ascii: "s"))).map { String(cString: $0) }
        isCatalogConflict = state == "23505" && schema == "pg_catalog"
    }

    /// What libpq says of a connection.
    init(of connection: OpaquePointer?) {
        self.init(words: Self.line(PQerrorMessage(connection).map { String(cString: $0) } ?? "out of memory"))
    }

    private static func line(_ words: String) -> String {
        let lines = words.split(whereSeparator: \.isNewline).map { $0.trimmed }
        // What libpq asks a person, such as whether the server runs, is what the hint says.
        let told = lines.filter { !$0.hasSuffix("?") }
        var line = (told.isEmpty ? lines : told).joined(separator: "; ")
        // It becomes a part of a sentence.
        while line.last.map({ ".?!".contains($0) }) == true { line.removeLast() }
        return line
    }

    var code: ErrorCode { "postgresql" }
    var message: String { "\(isOfServer ? "SQLSTATE \(state ?? ""): " : "")\(words)." }
    /// Whether the server has given the state, and not the engine.
    private var isOfServer: Bool { state?.utf8.count == 5 }
    var hint: String? { nil }
    var cause: (any Error)? { nil }
    var category: ErrorCategory { .failure }

    /// Whether the transaction may succeed if it is run again: a conflict with another one, or a deadlock.
    var isConflict: Bool { state == "40001" || state == "40P01" }

    /// Whether another transaction kept a lock for longer than the limit.
    var isLocked: Bool { state == "55P03" }

    /// Whether a statement was cancelled, or took too long.
    var isCancelled: Bool { state == "57014" }

    /// A transaction that kept other changes out, for too long.
    static var tooLongAlone: ServerFailure {
        ServerFailure(state: "40001", words: "the change blocked others for too long")
    }

    /// Whether the connection is gone: it broke, or an administrator ended it.
    var isLoss: Bool { state.map { $0.hasPrefix("57P") || $0.hasPrefix("08") } ?? true }

    /// Whether a prepared statement may no longer fit: the tables were changed since.
    var isStale: Bool { state == "0A000" || isOfOtherType }
    /// Whether a statement that was prepared before has an argument that does not fit the type which it had then.
    private var isOfOtherType = false

    /// Takes note that the statement was prepared before.
    mutating func isOfOldStatement() { isOfOtherType = state == "42804" || state == "22P02" }

    /// Whether a transaction that is not committed yet may be run from its start.
    var mayBeRunAgain: Bool { isConflict || isLoss || isStale }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.prefix(
            upTo: (start.lastIndex { !$0.isWhitespace }).map(start.index(after:)) ?? start.endIndex)
    }
}
