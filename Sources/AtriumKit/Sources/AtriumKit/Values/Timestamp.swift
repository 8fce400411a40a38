internal import Glibc

/// A moment in time, in whole microseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since the start of 1970, UTC.
    public let microseconds: Int64

    /// Creates a moment from microseconds since the start of 1970, UTC.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// True if the left moment is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the moment `seconds` later, or the nearest one that can be represented.
    public func adding(seconds: Int) -> Timestamp {
        Timestamp(microseconds: microseconds.addingClamped(Int64(seconds).multipliedClamped(by: 1_000_000)))
    }

    /// Returns the whole seconds since `start`; negative if it is later.
    public func seconds(since start: Timestamp) -> Int {
        Int(microseconds.subtractingClamped(start.microseconds) / 1_000_000)
    }

    /// Decodes an RFC 3339 string, as servers send, or the microseconds since 1970, as files have.
    ///
    /// - Throws: `DecodingError` also for a moment more than 146,000 years from 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let times = APIConventions.Times(of: decoder.userInfo)
        if times != .rfc3339 {
            guard let moment = times.moment(try container.decode(JSONValue.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Not a time of this API.")
            }
            self = moment
            return
        }
        do {
            microseconds = try container.decode(Int64.self)
        } catch DecodingError.typeMismatch(let type, let context) {
            // Files have many: those of servers take the longer way.
            guard let text = try? container.decode(String.self) else {
                throw DecodingError.typeMismatch(type, context)
            }
            guard let moment = Timestamp(rfc3339: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Not an RFC 3339 timestamp.")
            }
            self = moment
            return
        }
        guard Self.stored.contains(microseconds) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The moment is too far from 1970.")
        }
    }

    /// The range accepted from files and databases: the difference of any two fits 64 bits.
    private static let stored: ClosedRange<Int64> = -(1 << 62) + 1...(1 << 62) - 1

    /// Encodes the microseconds since 1970 as an integer; for servers, an RFC 3339 string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if encoder.userInfo[Self.isForServers] as? Bool == true {
            return try container.encode(APIConventions.Times(of: encoder.userInfo).json(self))
        }
        try container.encode(microseconds)
    }

    /// The key in an encoder's `userInfo` for true if a server decodes what it encodes.
    @_spi(Host) public static var isForServers: CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "atrium.server") else {
            preconditionFailure("Each text is a key.")
        }
        return key
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

extension Timestamp {
    /// Parses a moment (RFC 3339), such as `2026-11-21T05:01:45.123456Z`; nil if the text is none.
    ///
    /// Digits after the microseconds are dropped; a leap second counts as the first one of the next minute.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.uppercased().utf8)
        let fraction =
            bytes.dropFirst(19).first == UInt8(ascii: ".") ? bytes[20...].prefix(while: Self.isDigit) : nil
        guard Self.has(bytes.prefix(19), shape: "0000-00-00T00:00:00"), fraction?.isEmpty != true,
            let offset = Self.offset(bytes[(fraction?.endIndex ?? 19)...])
        else { return nil }
        let number = { (range: Range<Int>) in bytes[range].reduce(0) { $0 * 10 + CInt($1 - 48) } }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            number(0..<4) - 1_900, number(5..<7) - 1, number(8..<10)
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (number(11..<13), number(14..<16), number(17..<19))
        let isLeapSecond = parts.tm_sec == 60
        if isLeapSecond { parts.tm_sec = 59 }
        // Values out of range are carried over.
        var carried = parts
        let seconds = Int64(timegm(&carried)) + (isLeapSecond ? 1 : 0) - offset
        guard
            (carried.tm_mon, carried.tm_mday, carried.tm_hour, carried.tm_min, carried.tm_sec)
                == (parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec)
        else { return nil }
        let digits = (fraction ?? []).prefix(6)
        let microseconds = (digits + Array(repeating: 48, count: 6 - digits.count)).reduce(0) {
            $0 * 10 + Int64($1 - 48)
        }
        self.init(microseconds: seconds * 1_000_000 + microseconds)
    }

    /// The moment as RFC 3339 writes it, to the microsecond: `2026-11-21T05:01:45.123456Z`.
    public var rfc3339: String {
        let fraction = microseconds % 1_000_000
        let digits = String(fraction < 0 ? fraction + 1_000_000 : fraction)
        return description.dropLast() + "." + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
    }

    /// Returns the offset from UTC, in seconds, that the end of a moment states; nil if it is not valid.
    private static func offset(_ end: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: end, as: UTF8.self)
        if text == "Z" { return 0 }
        guard text.hasPrefix("+") || text.hasPrefix("-"), has(end.dropFirst(), shape: "00:00"),
            let hours = Int64(text.dropFirst().prefix(2)), let minutes = Int64(text.suffix(2)), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * (text.hasPrefix("-") ? -1 : 1)
    }

    /// True if bytes have `shape`, where 0 is any digit.
    private static func has(_ bytes: ArraySlice<UInt8>, shape: String) -> Bool {
        bytes.count == shape.utf8.count
            && zip(bytes, shape.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

extension Timestamp: Displayable {
    /// The moment in UTC: `2026-11-21 05:01 UTC`.
    public var displayText: String { formatted("%04Y-%m-%d %H:%M UTC") }
    /// The ISO 8601 text, to the second: `2026-11-21T05:01:45Z`.
    public var json: JSONValue { .string(description) }
}

extension Timestamp: DatabaseConvertible {
    public static var databaseTypeName: String { "a time in microseconds" }

    /// Reads microseconds since 1970; nil for another type, or a moment out of range.
    public init?(databaseValue: DatabaseValue) {
        guard case .integer(let integer) = databaseValue, Self.stored.contains(integer) else { return nil }
        self.init(microseconds: integer)
    }

    /// The microseconds since 1970, as an integer.
    public var databaseValue: DatabaseValue { .integer(microseconds) }
}
