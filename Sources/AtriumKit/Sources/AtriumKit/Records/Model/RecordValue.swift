/// A value that a field of a record can have: typed, shown, stored in a column, and read from JSON.
///
/// Texts, numbers, Booleans, moments, days, amounts, and optional ones; an enumeration of texts conforms
/// without code.
///
/// ```swift
/// enum Binding: String, CaseIterable, RecordValue { case hardcover, paperback }
/// ```
public protocol RecordValue: ArgumentValue, Displayable, DatabaseConvertible, Hashable {
    /// The type of its column.
    static var columnType: ColumnType { get }
    /// True if a record may lack the value.
    static var isOptional: Bool { get }
    /// True for a text, to which the rules of texts apply.
    static var isText: Bool { get }
    /// Reads a value from JSON; nil if it does not fit.
    init?(json: JSONValue)
    /// The value in JSON for servers and files; the one for programs by default.
    var exchanged: JSONValue { get }
}

extension RecordValue {
    /// False by default.
    public static var isOptional: Bool { false }
    /// False by default.
    public static var isText: Bool { false }
    /// ``Displayable/json`` by default.
    public var exchanged: JSONValue { json }
}

/// The type of a column that stores the values of a field.
@frozen public enum ColumnType: Sendable, Hashable {
    case integer, real, text

    /// The type's name in a `CREATE TABLE`.
    public func name(in dialect: Dialect) -> String {
        switch (self, dialect) {
        case (.integer, .sqlite): "INTEGER"
        case (.real, .sqlite): "REAL"
        case (.text, _): "TEXT"
        case (.integer, .postgresql): "bigint"
        case (.real, .postgresql): "double precision"
        }
    }
}

/// A text, or an optional one: a value that text rules apply to.
public protocol TextFieldValue: RecordValue {}

extension TextFieldValue {
    /// True.
    public static var isText: Bool { true }
}

/// A number, or an optional one: a value that ranges apply to.
public protocol NumberFieldValue: RecordValue {}

/// An amount of money, or an optional one.
public protocol MoneyFieldValue: RecordValue {}

extension Money: MoneyFieldValue {}
extension Optional: MoneyFieldValue where Wrapped: MoneyFieldValue {}

extension String: TextFieldValue {
    public static var columnType: ColumnType { .text }

    /// Takes a text; nil for other values.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self = text
    }
}

extension Int: NumberFieldValue {
    public static var columnType: ColumnType { .integer }

    /// Takes a whole number; nil for other values.
    public init?(json: JSONValue) {
        guard case .integer(let number) = json else { return nil }
        self.init(exactly: number)
    }
}

extension Double: NumberFieldValue {
    public static var columnType: ColumnType { .real }

    /// Takes a number; nil for other values.
    public init?(json: JSONValue) {
        switch json {
        case .number(let number): self = number
        case .integer(let number): self = Double(number)
        default: return nil
        }
    }
}

extension Bool: RecordValue {
    public static var columnType: ColumnType { .integer }

    /// Takes `true` and `false`; nil for other values.
    public init?(json: JSONValue) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }
}

extension Timestamp: RecordValue {
    public static var argumentTypeName: String { "a moment such as 2026-11-21T05:01:45Z" }
    public static var columnType: ColumnType { .integer }

    /// Parses a moment as RFC 3339 writes it.
    public init?(argument: String) { self.init(rfc3339: argument) }
    public var argumentText: String { rfc3339 }

    /// Parses a text as RFC 3339 writes it; nil for other values.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self.init(rfc3339: text)
    }

    /// The moment to the microsecond, as RFC 3339 writes it.
    public var exchanged: JSONValue { .string(rfc3339) }
}

extension Optional: RecordValue where Wrapped: RecordValue {
    public static var columnType: ColumnType { Wrapped.columnType }
    /// True.
    public static var isOptional: Bool { true }
    /// That of the wrapped type.
    public static var isText: Bool { Wrapped.isText }

    /// Reads null as nil, other values as the wrapped type does.
    public init?(json: JSONValue) {
        if json == .null {
            self = .none
        } else if let value = Wrapped(json: json) {
            self = .some(value)
        } else {
            return nil
        }
    }

    public var exchanged: JSONValue { self?.exchanged ?? .null }
}

extension Optional: TextFieldValue where Wrapped: TextFieldValue {}
extension Optional: NumberFieldValue where Wrapped: NumberFieldValue {}

extension RecordValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var displayText: String { rawValue }
    /// The raw value.
    public var json: JSONValue { .string(rawValue) }
    public static var databaseTypeName: String { "a choice" }
    /// Reads the raw value of a case; nil for any other.
    public init?(databaseValue: DatabaseValue) {
        guard case .text(let text) = databaseValue else { return nil }
        self.init(rawValue: text)
    }
    /// The raw value, as a text.
    public var databaseValue: DatabaseValue { .text(rawValue) }
    public static var columnType: ColumnType { .text }
    /// Reads the raw value of a case; nil for any other.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self.init(rawValue: text)
    }
}
