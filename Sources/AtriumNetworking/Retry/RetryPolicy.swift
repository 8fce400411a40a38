package import AtriumKit

/// Decides whether a request is retried, and after which backoff.
///
/// The backoff is exponential with full jitter: random between zero and a limit that doubles with each attempt,
/// so that clients that failed together don't retry together.
package struct RetryPolicy: Sendable, Hashable {
    /// The most attempts, including the first.
    package var attempts = 4
    /// The limit of the first backoff.
    package var base = Duration.milliseconds(200)
    /// The largest limit of a backoff.
    package var longestWait = Duration.seconds(5)
    /// The longest `Retry-After` of a server; longer waits are not retried.
    package var longestRetryAfter = Duration.seconds(10)

    package init() {}

    package enum Failure: Sendable, Hashable {
        /// A response with this status.
        case status(Int, retryAfter: Duration?)
        /// No response.
        case transport(TransportError)
    }

    package struct Subject: Sendable, Hashable {
        package let method: HTTPMethod
        package let repetition: APICall.Repetition

        package init(method: HTTPMethod, repetition: APICall.Repetition) {
            self.method = method
            self.repetition = repetition
        }
    }

    /// Returns the backoff before the next attempt; nil if the request is not retried.
    ///
    /// - Parameters:
    ///   - failure: The result of the last attempt.
    ///   - subject: The request.
    ///   - attempt: The number of attempts made.
    ///   - remaining: The time left for all attempts; a backoff that leaves nothing of it is not worth it.
    ///   - random: 64 random bits.
    package func wait(
        after failure: Failure, of subject: Subject, attempt: Int, remaining: Duration, random: UInt64
    ) -> Duration? {
        guard attempt < attempts, isRetryable(failure, subject) else { return nil }
        guard let wait = wait(failure, attempt, random), wait < remaining else { return nil }
        return wait
    }

    private func isRetryable(_ failure: Failure, _ subject: Subject) -> Bool {
        guard subject.repetition != .never else { return false }
        return switch failure {
        case .status(429, _), .status(502, _), .status(503, _), .status(504, _): true
        // A server may have stored the 500 under the idempotency key.
        case .status(500, _): subject.method.isIdempotent || subject.repetition == .safe
        case .status: false
        // Other failures would repeat: a certificate stays untrusted, a URL invalid.
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
