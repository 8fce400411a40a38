/// The statements that a connection has compiled, by their text.
///
/// Bounded: a module that builds texts as it goes pays for compiling them, not with memory.
struct StatementCache {
    private let capacity: Int
    private var statements: [String: PreparedStatement] = [:]
    private var time: UInt64 = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { statements.count }

    /// Takes the statement with this text; nil where there is none that is free.
    mutating func take(_ sql: String) -> PreparedStatement? {
        guard let statement = statements[sql], !statement.isInUse else { return nil }
        time += 1
        statement.lastUse = time
        statement.isInUse = true
        return statement
    }

    /// Keeps a new statement, in place of the one that was not used for longest.
    ///
    /// A statement that the cache has no place for, because one with the same text or all of them are in
    /// use, is left to its user.
    mutating func insert(_ statement: PreparedStatement) {
        guard statements[statement.sql] == nil, makePlace() else { return }
        time += 1
        statement.lastUse = time
        statement.isCached = true
        statements[statement.sql] = statement
    }

    /// Ends the use of a statement.
    func release(_ statement: PreparedStatement) {
        guard statement.isCached else { return statement.finalize() }
        statement.reset()
        statement.isInUse = false
    }

    /// Frees all statements.
    mutating func removeAll() {
        for statement in statements.values { statement.finalize() }
        statements = [:]
    }

    private mutating func makePlace() -> Bool {
        guard statements.count >= capacity else { return true }
        let oldest = statements.values.filter { !$0.isInUse }.min { $0.lastUse < $1.lastUse }
        guard let oldest else { return false }
        statements[oldest.sql] = nil
        oldest.finalize()
        return true
    }
}
