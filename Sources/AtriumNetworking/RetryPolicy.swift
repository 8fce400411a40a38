package import AtriumKit
internal import Glibc

/// Decides whether a request is retried, and after what backoff.
///
/// The backoff is exponential with full jitter: random between zero and a limit that doubles with each
/// attempt, so that clients that failed together don't retry together.
package struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first.
    package var attempts = 4
    /// The limit of the first backoff.
    package var base = Duration.milliseconds(200)
    /// The largest limit of a backoff.
    package var longestWait = Duration.seconds(5)
    /// The longest `Retry-After` of a server; longer waits are not retried.
    package var longestRetryAfter = Duration.seconds(10)

    package init() {}

    /// Decides whether and when to make the next attempt.
    ///
    /// - Parameters:
    ///   - result: The result of the last attempt.
    ///   - asked: The wait that the server asks for.
    ///   - method: The method of the request.
    ///   - repetition: Whether it may be repeated.
    ///   - attempt: The number of attempts made.
    ///   - remaining: The time left for all attempts; a backoff that would use it up is not worth it.
    ///   - random: 64 random bits.
    /// - Returns: The backoff before it; nil if the request is not retried.
    package func wait(
        after result: Result<HTTPResponse, TransportError>, asked: Duration?, of method: HTTPMethod,
        _ repetition: APICall.Repetition, attempt: Int, remaining: Duration, random: UInt64
    ) -> Duration? {
        guard attempt < attempts, mayRepeat(after: result, of: method, repetition) else { return nil }
        let bound = min(longestWait, base * (1 << min(attempt - 1, 20)))
        let jitter = bound * (Double(random >> 11) / Double(1 << 53))
        let wait = max(asked ?? .zero, jitter)
        return asked ?? .zero <= longestRetryAfter && wait < remaining ? wait : nil
    }

    /// True if a result may be transient and the request repeatable, regardless of time and attempts left.
    func mayRepeat(
        after result: Result<HTTPResponse, TransportError>, of method: HTTPMethod,
        _ repetition: APICall.Repetition
    ) -> Bool {
        guard repetition != .never else { return false }
        switch result {
        case .success(let response):
            // A server may have stored the 500 under the idempotency key.
            if response.status == 500 { return method.isIdempotent || repetition == .safe }
            // A server sends 408 on a connection that it has given up.
            return [408, 429, 502, 503, 504].contains(response.status)
        case .failure(let error):
            // Other failures would recur: a certificate stays untrusted, a URL invalid.
            return [.serverUnreachable, .connectionLost, .timedOut].contains(error.code)
        }
    }
}

/// Dates of HTTP (RFC 9110, 5.6.7), in the three forms that recipients accept.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The wait of the field `Retry-After`, in seconds or until a date; nil if it is missing or invalid.
    ///
    /// A date is measured from the server's `Date` if there is one, as its clock may differ from `now`.
    static func retryAfter(_ fields: HTTPFields, now: Timestamp) -> Duration? {
        guard let value = fields["Retry-After"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
            // Larger numbers are as good as the longest wait.
            return .seconds(min(Int(value) ?? .max, 1_000_000_000))
        }
        let start = fields["Date"].flatMap(parse) ?? now
        return parse(value).map {
            .microseconds(max(0, $0.microseconds.subtractingClamped(start.microseconds)))
        }
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or
    /// `Sun Nov  6 08:49:37 1994`.
    static func parse(_ text: String) -> Timestamp? {
        var parts = text.split { " ,-:".contains($0) }
        if parts.count == 7 { parts = [parts[0], parts[2], parts[1], parts[6]] + parts[3...5] + ["GMT"] }
        guard parts.count == 8, parts[7] == "GMT", let month = months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let numbers = ([parts[1], parts[3]] + parts[4...6]).compactMap { Int32($0) }
        let limits: [ClosedRange<Int32>] = [1...31, 0...9_999, 0...23, 0...59, 0...60]
        guard numbers.count == 5, zip(limits, numbers).allSatisfy({ $0.contains($1) }) else { return nil }
        // Two digits mean 1970 to 2069.
        let year = parts[3].count > 2 ? numbers[1] - 1_900 : numbers[1] + (numbers[1] < 70 ? 100 : 0)
        var time = tm()
        (time.tm_mday, time.tm_mon, time.tm_year) = (numbers[0], Int32(month), year)
        (time.tm_hour, time.tm_min, time.tm_sec) = (numbers[2], numbers[3], numbers[4])
        return Timestamp(microseconds: Int64(timegm(&time)) * 1_000_000)
    }
}
