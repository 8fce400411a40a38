@_spi(Host) import AtriumKit
import CPostgreSQL

/// The rows of a statement, or the number it changed.
final class ServerResult {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    /// The number of rows inserted, updated or deleted; 0 for a query.
    var changes: Int {
        guard let tag = PQcmdStatus(pointer).map({ String(cString: $0) }), !tag.hasPrefix("SELECT"),
            let count = PQcmdTuples(pointer)
        else { return 0 }
        return Int(String(cString: count)) ?? 0
    }

    var rowCount: Int { Int(PQntuples(pointer)) }

    /// The first value; nil if there is none, or it is null.
    var firstText: String? { rowCount > 0 ? text(0, 0) : nil }

    /// The text of a value; nil for null.
    func text(_ row: Int, _ column: Int) -> String? {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0 else { return nil }
        return PQgetvalue(pointer, Int32(row), Int32(column)).map { String(cString: $0) }
    }

    var columnNames: [String] {
        (0..<PQnfields(pointer)).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" }
    }

    func rows<Value>(_ decode: (DatabaseRow) throws -> Value) throws -> [Value] {
        let columns = columnNames.map { DatabaseRow.Column(name: $0, table: nil) }
        let kinds = (0..<PQnfields(pointer)).map { ColumnKind(type: PQftype(pointer, $0)) }
        var decoded: [Value] = []
        decoded.reserveCapacity(rowCount)
        var values: [DatabaseValue] = []
        values.reserveCapacity(kinds.count)
        for row in 0..<PQntuples(pointer) {
            values.removeAll(keepingCapacity: true)
            for (column, kind) in kinds.enumerated() {
                let column = Int32(column)
                if PQgetisnull(pointer, row, column) == 1 {
                    values.append(.null)
                } else if let start = PQgetvalue(pointer, row, column) {
                    let bytes = UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
                    let count = Int(PQgetlength(pointer, row, column))
                    values.append(kind.value(UnsafeBufferPointer(start: bytes, count: count)))
                }
            }
            decoded.append(try decode(DatabaseRow(columns: columns, values: values)))
        }
        return decoded
    }
}
