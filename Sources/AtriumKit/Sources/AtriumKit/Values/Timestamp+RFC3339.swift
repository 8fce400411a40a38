internal import Glibc

extension Timestamp {
    /// Reads a moment (RFC 3339), such as `2026-11-21T05:01:45.123456Z`; nil where the text is none.
    ///
    /// Digits behind the microseconds are dropped; a leap second counts as the first one of the next minute.
    public init?(rfc3339 text: String) {
        var reader = RFC3339Reader(text)
        guard let date = reader.date(), reader.skip("T", "t"), let time = reader.time(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        var parts = tm()
        parts.tm_year = CInt(date.year - 1_900)
        parts.tm_mon = CInt(date.month - 1)
        parts.tm_mday = CInt(date.day)
        let days = Int64(timegm(&parts)) / 86_400
        let seconds = days * 86_400 + Int64(time.seconds - offset)
        self.init(microseconds: seconds * 1_000_000 + Int64(time.microseconds))
    }

    /// The moment as RFC 3339 writes it, to the microsecond: `2026-11-21T05:01:45.123456Z`.
    public var rfc3339: String {
        let fraction = microseconds % 1_000_000
        let digits = String(fraction < 0 ? fraction + 1_000_000 : fraction)
        return description.dropLast() + "." + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
    }
}

private struct RFC3339Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() -> (year: Int, month: Int, day: Int)? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
            (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        return (year, month, day)
    }

    mutating func time() -> (seconds: Int, microseconds: Int)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        guard skip(".") else { return (hour * 3_600 + minute * 60 + second, 0) }
        guard let microseconds = fraction() else { return nil }
        return (hour * 3_600 + minute * 60 + second, microseconds)
    }

    /// How many seconds the moment is ahead of UTC.
    mutating func offset() -> Int? {
        if skip("Z", "z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    mutating func skip(_ marks: Unicode.Scalar...) -> Bool {
        guard let first = rest.first, marks.contains(Unicode.Scalar(first)) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func digit() -> Int? {
        guard let first = rest.first, (48...57).contains(first) else { return nil }
        rest.removeFirst()
        return Int(first) - 48
    }

    private mutating func number(_ digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func fraction() -> Int? {
        guard var value = digit() else { return nil }
        var count = 1
        while let digit = digit() {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        for _ in stride(from: count, to: 6, by: 1) { value *= 10 }
        return value
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
