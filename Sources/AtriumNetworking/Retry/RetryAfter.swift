internal import AtriumKit

/// The field `Retry-After` of an answer (RFC 9110, 10.2.3).
enum RetryAfter {
    /// The wait, given in seconds or as a date; nil if the field is missing or invalid.
    static func duration(_ fields: HTTPFields, now: Timestamp) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if let seconds = Int(value) { return seconds >= 0 ? .seconds(min(seconds, 1_000_000_000)) : nil }
        guard let date = HTTPDate.parse(value) else { return nil }
        return .microseconds(max(0, date.microseconds - now.microseconds))
    }
}

/// Dates of HTTP (RFC 9110, 5.6.7), in the three forms that recipients accept.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    /// `Sun Nov  6 08:49:37 1994`.
    static func parse(_ text: String) -> Timestamp? {
        let parts = text.split { " ,-:".contains($0) }
        guard parts.count == 7 || (parts.count == 8 && parts[7] == "GMT") else { return nil }
        let isAsctime = parts.count == 7
        let monthName = String(isAsctime ? parts[1] : parts[2])
        guard let day = Int(isAsctime ? parts[2] : parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: monthName), let year = year(isAsctime ? parts[6] : parts[3]),
            let time = time(isAsctime ? parts[3...5] : parts[4...6])
        else { return nil }
        let seconds = days(year: year, month: month + 1, day: day) * 86_400 + time
        return Timestamp(microseconds: Int64(seconds) * 1_000_000)
    }

    /// Two digits mean 1970 to 2069.
    private static func year(_ text: Substring) -> Int? {
        guard let year = Int(text), (0...9_999).contains(year) else { return nil }
        return text.count == 2 ? (year < 70 ? 2_000 : 1_900) + year : year
    }

    private static func time(_ parts: ArraySlice<Substring>) -> Int? {
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 3, (0...23).contains(numbers[0]), (0...59).contains(numbers[1]),
            (0...60).contains(numbers[2])
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
    }

    /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the leap day is the
    /// last of its year.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let ofEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + dayOfYear - 719_468
    }
}
