/// A value as SQLite stores it; frozen, because its file format has these five.
@frozen public enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// The storage class in SQLite's words, for error messages.
    var storageClass: String {
        switch self {
        case .null: "NULL"
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}

/// A type that column values can be read as and arguments can be given as.
public protocol DatabaseConvertible {
    /// The name of the type in error messages: "an integer".
    static var databaseTypeName: String { get }
    /// Reads the value; nil if it does not fit.
    init?(databaseValue: DatabaseValue)
    /// The value as SQLite stores it.
    var databaseValue: DatabaseValue { get }
}

extension String: DatabaseConvertible {
    public static var databaseTypeName: String { "a text" }

    /// Reads a text; nil for other types, including numbers.
    @inlinable public init?(databaseValue: DatabaseValue) {
        guard case .text(let text) = databaseValue else { return nil }
        self = text
    }

    public var databaseValue: DatabaseValue { .text(self) }
}

extension Int64: DatabaseConvertible {
    public static var databaseTypeName: String { "an integer" }

    /// Reads an integer; nil for other types.
    @inlinable public init?(databaseValue: DatabaseValue) {
        guard case .integer(let integer) = databaseValue else { return nil }
        self = integer
    }

    public var databaseValue: DatabaseValue { .integer(self) }
}

extension Int: DatabaseConvertible {
    public static var databaseTypeName: String { "an integer" }

    /// Reads an integer; nil for other types, or if it does not fit.
    @inlinable public init?(databaseValue: DatabaseValue) {
        guard case .integer(let integer) = databaseValue, let value = Int(exactly: integer) else {
            return nil
        }
        self = value
    }

    public var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

extension Double: DatabaseConvertible {
    public static var databaseTypeName: String { "a number" }

    /// Reads a real number or an integer; nil for other types.
    @inlinable public init?(databaseValue: DatabaseValue) {
        switch databaseValue {
        case .real(let real): self = real
        case .integer(let integer): self = Double(integer)
        default: return nil
        }
    }

    public var databaseValue: DatabaseValue { .real(self) }
}

extension Bool: DatabaseConvertible {
    public static var databaseTypeName: String { "0 or 1" }

    /// Reads the integers 0 and 1; nil for everything else.
    @inlinable public init?(databaseValue: DatabaseValue) {
        switch databaseValue {
        case .integer(0): self = false
        case .integer(1): self = true
        default: return nil
        }
    }

    /// The integer 1 for true, 0 for false.
    public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }
}

extension Optional: DatabaseConvertible where Wrapped: DatabaseConvertible {
    public static var databaseTypeName: String { "\(Wrapped.databaseTypeName) or NULL" }

    /// Reads NULL as nil, everything else as the wrapped type does.
    @inlinable public init?(databaseValue: DatabaseValue) {
        if case .null = databaseValue {
            self = .none
        } else if let value = Wrapped(databaseValue: databaseValue) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// NULL for nil, else the stored form of the value.
    public var databaseValue: DatabaseValue {
        switch self {
        case .none: .null
        case .some(let value): value.databaseValue
        }
    }
}
