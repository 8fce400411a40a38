/// One row of a query's result.
///
/// Frozen and inlined, as are the types that read its values: a module decodes a page of rows itself, without
/// a call into this library per value.
@frozen public struct DatabaseRow {
    /// The columns of the result, shared by its rows.
    public let columns: [Column]
    @usableFromInline let values: [DatabaseValue]

    @_spi(Host) public init(columns: [Column], values: [DatabaseValue]) {
        self.columns = columns
        self.values = values
    }

    /// Returns the value of the column at `index`, from 0; throws ``DatabaseError`` `databaseMismatch` if it
    /// does not fit.
    @inlinable public func value<Value: DatabaseConvertible>(
        _ index: Int, as type: Value.Type = Value.self
    ) throws -> Value {
        guard values.indices.contains(index) else { throw noColumn("\(index)") }
        guard let value = Value(databaseValue: values[index]) else {
            throw mismatch(index, expected: Value.databaseTypeName)
        }
        return value
    }

    /// Returns the value of the column called `name`, in any case; throws ``DatabaseError``
    /// `databaseMismatch`.
    @inlinable public func value<Value: DatabaseConvertible>(
        _ name: String, as type: Value.Type = Value.self
    ) throws -> Value {
        guard let index = columns.firstIndex(where: { $0.name == name }) ?? indexInAnyCase(of: name) else {
            throw noColumn(name)
        }
        return try value(index, as: type)
    }

    /// Returns the bytes of the column at `index`, from 0; throws ``DatabaseError`` `databaseMismatch` for
    /// another type.
    ///
    /// A method: if `[UInt8]` were convertible, no module could make another array convertible.
    public func bytes(_ index: Int) throws -> [UInt8] {
        guard values.indices.contains(index) else { throw noColumn("\(index)") }
        guard case .blob(let bytes) = values[index] else { throw mismatch(index, expected: "bytes") }
        return bytes
    }

    /// PostgreSQL returns unquoted names in lower case.
    @usableFromInline func indexInAnyCase(of name: String) -> Int? {
        columns.firstIndex { $0.name.lowercased() == name.lowercased() }
    }

    @usableFromInline func noColumn(_ name: String) -> any Error {
        DatabaseError.noColumn(name, among: columns.map(\.name))
    }

    @usableFromInline func mismatch(_ index: Int, expected: String) -> any Error {
        DatabaseError.mismatch(column: columns[index], expected: expected, found: values[index])
    }

    /// A column of a query's result; frozen, as rows look for its name.
    @frozen public struct Column: Sendable, Hashable {
        /// The name that the query gives it.
        public let name: String
        /// The table it is read from; nil for an expression.
        public let table: String?

        @_spi(Host) public init(name: String, table: String?) {
            self.name = name
            self.table = table
        }
    }
}
