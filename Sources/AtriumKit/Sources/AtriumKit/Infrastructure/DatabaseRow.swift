/// One row of a query's result.
public struct DatabaseRow {
    /// The columns of the result, shared by its rows.
    public let columns: [DatabaseColumn]
    private let values: [DatabaseValue]

    @_spi(Host) public init(columns: [DatabaseColumn], values: [DatabaseValue]) {
        self.columns = columns
        self.values = values
    }

    /// The value of the column at `index`, from 0 in the order of the query.
    ///
    /// - Throws: ``DatabaseError`` with code `databaseMismatch`, naming column and table, where the value
    ///   does not fit.
    public func value<Value: DatabaseConvertible>(_ index: Int, as type: Value.Type = Value.self) throws -> Value {
        guard values.indices.contains(index) else {
            throw DatabaseError.noColumn("\(index)", among: columns.map(\.name))
        }
        guard let value = Value(databaseValue: values[index]) else {
            throw DatabaseError.mismatch(
                column: columns[index], expected: Value.databaseTypeName, found: values[index])
        }
        return value
    }

    /// The value of the column called `name`.
    ///
    /// - Throws: ``DatabaseError`` with code `databaseMismatch`, naming column and table, where there is no
    ///   such column or its value does not fit.
    public func value<Value: DatabaseConvertible>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        guard let index = columns.firstIndex(where: { $0.name == name }) else {
            throw DatabaseError.noColumn(name, among: columns.map(\.name))
        }
        return try value(index, as: type)
    }
}

/// A column of a query's result.
public struct DatabaseColumn: Sendable, Hashable {
    /// The name that the query gives it.
    public let name: String
    /// The table it is read from; nil for an expression.
    public let table: String?

    @_spi(Host) public init(name: String, table: String?) {
        self.name = name
        self.table = table
    }
}
