internal import AtriumKit

/// The field `Retry-After` of an answer (RFC 9110, 10.2.3).
enum RetryAfter {
    /// How long the server asks to wait, given in seconds or as a date; nil where it says nothing readable.
    static func duration(_ fields: HTTPFields, now: Timestamp) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if let seconds = Int(value) { return seconds >= 0 ? .seconds(min(seconds, 1_000_000_000)) : nil }
        guard let date = HTTPDate.parse(value) else { return nil }
        return .microseconds(max(0, date.microseconds - now.microseconds))
    }
}
