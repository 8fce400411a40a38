/// The range of a number from outside.
public protocol NumberLimits: Sendable {
    static var range: ClosedRange<Int> { get }
}

/// A whole number from a server, a file or a database, with limits that its type states.
///
/// Decoding a number outside its limits fails, so that none is shown and the offset of a page (number times
/// size) does not overflow. Values assigned in code are not checked. An id needs limits only if some values
/// have a special meaning.
///
/// ```swift
/// struct NoteListAnswer: Decodable {
///     let rows: [NoteAnswer]
///     @RowCount var total: Int
///     let pages: RowCount?
/// }
/// ```
@propertyWrapper
@frozen public struct Bounded<Limits: NumberLimits>: Hashable, Sendable {
    /// The number; not checked when it is assigned.
    public var wrappedValue: Int

    /// Takes a number without checking its limits.
    @inlinable public init(wrappedValue: Int) {
        self.wrappedValue = wrappedValue
    }
}

extension Bounded: Codable {
    /// - Throws: `DecodingError` unless the value is a whole number within the limits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let value = try container.decode(Int.self)
        guard Limits.range.contains(value) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The number must be \(Self.words).")
        }
        self.init(wrappedValue: value)
    }

    /// Encodes the number alone, without checking its limits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    private static var words: String { "from \(Limits.range.lowerBound) to \(Limits.range.upperBound)" }
}

extension Bounded: DatabaseConvertible {
    public static var databaseTypeName: String { "an integer \(words)" }

    /// Reads an integer; nil outside the limits, or for another type.
    public init?(databaseValue: DatabaseValue) {
        guard let value = Int(databaseValue: databaseValue), Limits.range.contains(value) else { return nil }
        self.init(wrappedValue: value)
    }

    /// The number as an integer, without checking its limits.
    public var databaseValue: DatabaseValue { .integer(Int64(wrappedValue)) }
}

// MARK: - Common limits

/// The limits of ``RowCount``.
public enum RowCounts: NumberLimits {
    /// The whole numbers that JSON holds exactly (RFC 8259, 6).
    public static var range: ClosedRange<Int> { 0...1 << 53 }
}

/// The limits of ``PageNumber``.
public enum PageNumbers: NumberLimits {
    /// 1 to 1,000,000,000, so that the offset of a page fits 64 bits.
    public static var range: ClosedRange<Int> { 1...1_000_000_000 }
}

/// The limits of ``PageSize``.
public enum PageSizes: NumberLimits {
    /// 1 to 100,000.
    public static var range: ClosedRange<Int> { 1...100_000 }
}

/// A number of rows.
public typealias RowCount = Bounded<RowCounts>
/// The number of a page, from 1.
public typealias PageNumber = Bounded<PageNumbers>
/// The number of rows on a page.
public typealias PageSize = Bounded<PageSizes>

// MARK: - Arithmetic

extension FixedWidthInteger {
    /// Returns the sum, or the nearest value of the type.
    @inlinable public func addingClamped(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, or the nearest value of the type.
    @inlinable public func subtractingClamped(_ other: Self) -> Self {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? (self < other ? .min : .max) : difference
    }

    /// Returns the product, or the nearest value of the type.
    @inlinable public func multipliedClamped(by other: Self) -> Self {
        let (product, isOverflow) = multipliedReportingOverflow(by: other)
        return isOverflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

/// An id of a server as a text; a whole number counts too.
///
/// ```swift
/// struct UserAnswer: Decodable { @TextID var id: String }
/// ```
@propertyWrapper
public struct TextID: Codable, Hashable, Sendable {
    public let wrappedValue: String

    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    /// Decodes a text or a whole number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            wrappedValue = try container.decode(String.self)
        } catch {
            guard let number = try? container.decode(Int64.self) else { throw error }
            wrappedValue = "\(number)"
        }
    }

    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}
