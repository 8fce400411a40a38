/// A least-recently-used cache of compiled statements.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: PreparedStatement] = [:]
    private var time: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { statements.count }

    /// Nil if there is no free statement with this text.
    mutating func take(_ sql: String) -> PreparedStatement? {
        guard let statement = statements[sql], !statement.isInUse else { return nil }
        time += 1
        statement.lastUse = time
        statement.isInUse = true
        return statement
    }

    /// Adds a new statement, unless one with the same text or all others are in use.
    mutating func insert(_ statement: PreparedStatement) {
        guard statements[statement.sql] == nil, evict() else { return }
        time += 1
        statement.lastUse = time
        statement.isCached = true
        statements[statement.sql] = statement
    }

    func release(_ statement: PreparedStatement) {
        guard statement.isCached else { return statement.finalize() }
        statement.reset()
        statement.isInUse = false
    }

    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    private mutating func evict() -> Bool {
        guard statements.count >= capacity else { return true }
        let oldest = statements.values.filter { !$0.isInUse }.min { $0.lastUse < $1.lastUse }
        guard let oldest else { return false }
        statements[oldest.sql] = nil
        oldest.finalize()
        return true
    }
}
