package import AtriumKit

/// Decides whether a request is sent again, and after how long.
///
/// Does nothing itself.
/// Waits are exponential with full jitter: random between nothing and a bound that doubles with each attempt,
/// so that clients that failed together do not come back together.
package struct RetryPolicy: Sendable, Hashable {
    /// How often a request is sent at most, the first time included.
    package var attempts = 4
    /// The bound of the first wait; doubles from wait to wait.
    package var base = Duration.milliseconds(200)
    /// The largest bound of a wait.
    package var longestWait = Duration.seconds(5)
    /// The longest wait that a server may ask for.
    ///
    /// One who asks for more is not asked again at all: neither
    /// does anybody wait that long for a command, nor does it help to ask before the time.
    package var longestRetryAfter = Duration.seconds(10)

    package init() {}

    /// What came of an attempt.
    package enum Failure: Sendable, Hashable {
        /// An answer with this status, and the wait that it asks for.
        case status(Int, retryAfter: Duration?)
        /// No answer.
        case transport(TransportError)
    }

    /// A request, as far as the decision depends on it.
    package struct Subject: Sendable, Hashable {
        package let method: HTTPMethod
        package let repetition: APICall.Repetition

        package init(method: HTTPMethod, repetition: APICall.Repetition) {
            self.method = method
            self.repetition = repetition
        }
    }

    /// Decides what follows an attempt.
    ///
    /// - Parameters:
    ///   - failure: What came of the last attempt.
    ///   - subject: The request.
    ///   - attempt: How many attempts were made, from 1.
    ///   - remaining: How much of the time for all attempts is left; a wait that leaves nothing of it is not
    ///     worth it.
    ///   - random: 64 random bits.
    /// - Returns: How long to wait before the next attempt; nil where there should be none.
    package func wait(
        after failure: Failure, of subject: Subject, attempt: Int, remaining: Duration, random: UInt64
    ) -> Duration? {
        guard attempt < attempts, isWorthRepeating(failure, subject) else { return nil }
        guard let wait = wait(failure, attempt, random), wait < remaining else { return nil }
        return wait
    }

    private func isWorthRepeating(_ failure: Failure, _ subject: Subject) -> Bool {
        guard subject.repetition != .never else { return false }
        return switch failure {
        case .status(429, _), .status(502, _), .status(503, _), .status(504, _): true
        // A key tells the server that a request is the same, but it may have kept the 500 under it.
        case .status(500, _): subject.method.isIdempotent || subject.repetition == .safe
        case .status: false
        // Anything else fails the same way again: a certificate stays untrusted, a URL stays none.
        case .transport(let error):
            [.serverUnreachable, .connectionLost, .timedOut].contains(error.code)
        }
    }

    private func wait(_ failure: Failure, _ attempt: Int, _ random: UInt64) -> Duration? {
        let bound = min(longestWait, base * (1 << min(attempt - 1, 20)))
        let jitter = bound * (Double(random >> 11) / Double(1 << 53))
        guard case .status(_, let asked?) = failure else { return jitter }
        return asked <= longestRetryAfter ? max(asked, jitter) : nil
    }
}
