package import AtriumKit

/// A time in relative words: `just now`, `2 min ago`, `in 3 days`; the date, if it is far away.
package enum RelativeTime {
    private static let minute: Int64 = 60
    private static let hour = 60 * minute
    private static let day = 24 * hour
    /// Beyond this, a date says more than a number of days.
    private static let far = 60 * day

    package static func text(_ moment: Timestamp, from now: Timestamp) -> String {
        let (difference, overflows) = moment.microseconds.subtractingReportingOverflow(now.microseconds)
        let seconds = (difference / 1_000_000).magnitude
        guard !overflows, seconds < far.magnitude else { return String(moment.displayText.prefix(10)) }
        let isPast = difference <= 0
        // Past times count complete units; future ones are rounded, so that 14 days are 14 a moment later.
        guard let amount = amount(Int64(seconds), isRounded: !isPast) else {
            return isPast ? "just now" : "in less than 1 min"
        }
        return isPast ? amount + " ago" : "in " + amount
    }

    /// Nil below a minute: text that does not change would be wrong at once.
    private static func amount(_ seconds: Int64, isRounded: Bool) -> String? {
        func count(_ unit: Int64) -> Int64 { (seconds + (isRounded ? unit / 2 : 0)) / unit }
        if seconds < minute { return nil }
        if count(minute) < 60 { return "\(count(minute)) min" }
        if count(hour) < 24 { return "\(count(hour)) h" }
        return count(day) < 2 ? "1 day" : "\(count(day)) days"
    }
}

extension TextRenderer {
    func text(of field: Field) -> String { text(field.text) { field.value } }

    func text(of cell: Content.TableData.Cell) -> String { text(cell.text) { cell.value } }

    /// The text of a value; relative if the value is a time, judged by its form for programs, so that text
    /// that only looks like a time stays unchanged.
    private func text(_ text: String, _ value: () -> JSONValue) -> String {
        guard let now, Self.lengths.contains(text.utf8.count),
            let time = value().stringValue, let moment = Timestamp(rfc3339: time),
            text == moment.displayText || text == Worded.short(time)
        else { return text }
        return RelativeTime.text(moment, from: now)
    }

    /// `11-21 12:57:10`, `2026-11-21 05:01 UTC`.
    private static let lengths: Set = [14, 20]
}
