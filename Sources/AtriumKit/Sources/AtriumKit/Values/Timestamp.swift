internal import Glibc

/// A moment in time, in whole microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since the start of 1970, UTC.
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The moment `seconds` later.
    public func adding(seconds: Int) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(seconds) * 1_000_000)
    }

    public init(from decoder: any Decoder) throws {
        microseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The moment in UTC as ISO 8601 writes it, to the second: `2026-11-21T05:01:45Z`.
    public var description: String { formatted("%04Y-%m-%dT%H:%M:%SZ") }

    private func formatted(_ format: String) -> String {
        let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        var seconds = time_t(remainder < 0 ? quotient - 1 : quotient)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            let length = strftime(buffer.baseAddress, buffer.count, format, &parts)
            return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}

extension Timestamp: Displayable {
    /// The moment in UTC: `2026-11-21 05:01 UTC`.
    public var displayText: String { formatted("%04Y-%m-%d %H:%M UTC") }
    public var json: JSONValue { .string(description) }
}

extension Timestamp: DatabaseConvertible {
    public static var databaseTypeName: String { "a time in microseconds" }

    public init?(databaseValue: DatabaseValue) {
        guard case .integer(let integer) = databaseValue else { return nil }
        self.init(microseconds: integer)
    }

    public var databaseValue: DatabaseValue { .integer(microseconds) }
}
