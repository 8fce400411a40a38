/// A day of the calendar, without a time or a zone: `2026-11-29`.
public struct Day: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    public let number: Int

    /// The days from the year 1 to the year 9999.
    public static let range = Day(number: -719_162)...Day(number: 2_932_896)

    private init(number: Int) {
        self.number = number
    }

    /// The day of a moment in UTC, or the nearest one in ``range``.
    public init(_ moment: Timestamp) {
        let (days, rest) = moment.microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
        self = Self.clamped(Int(days) - (rest < 0 ? 1 : 0))
    }

    /// Parses a day as RFC 3339 writes it, such as `2026-11-29`; nil if the text is none.
    public init?(_ text: String) {
        guard text.utf8.count == 10, let moment = Timestamp(rfc3339: text + "T00:00:00Z") else { return nil }
        self.init(moment)
    }

    public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

    /// Returns the day `days` later, or the nearest one in ``range``.
    public func adding(days: Int) -> Day { Self.clamped(number.addingClamped(days)) }

    /// Returns the days since `start`; negative if it is later.
    public func days(since start: Day) -> Int { number - start.number }

    private static func clamped(_ number: Int) -> Day {
        Day(number: min(max(number, range.lowerBound.number), range.upperBound.number))
    }
}

extension Day: CustomStringConvertible {
    /// The day as RFC 3339 writes it: `2026-11-29`.
    public var description: String {
        String(Timestamp(microseconds: Int64(number) * 86_400_000_000).description.prefix(10))
    }
}

extension Day: RecordValue {
    public static var argumentTypeName: String { "a day such as 2026-11-29" }
    public static var columnType: ColumnType { .text }
    public static var databaseTypeName: String { "a day" }

    /// Parses a day as RFC 3339 writes it.
    public init?(argument: String) { self.init(argument) }
    public var argumentText: String { description }
    public var displayText: String { description }
    public var json: JSONValue { .string(description) }

    /// Parses a text as RFC 3339 writes it; nil for other values.
    public init?(json: JSONValue) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }

    /// Reads a text; nil for other values.
    public init?(databaseValue: DatabaseValue) {
        guard case .text(let text) = databaseValue else { return nil }
        self.init(text)
    }

    public var databaseValue: DatabaseValue { .text(description) }
}
