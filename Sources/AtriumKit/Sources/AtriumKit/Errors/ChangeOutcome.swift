/// The outcome of a change that ended with an error.
///
/// Messages, hints, exit codes and reloading all follow this rule. Only a change that was certainly not made
/// may be repeated without a check.
public enum ChangeOutcome: String, Sendable, Hashable {
    /// It was made; only its result is missing.
    case made
    /// Nothing was sent, or the server refused it.
    case notMade
    /// It was sent, and no answer says whether it was made.
    case unknown

    /// Derives the outcome from the status of an answer (RFC 9110, 15).
    ///
    /// A redirect leaves open whether the server acted first; a server or gateway that fails may have done so
    /// after the change.
    public init(status: Int) {
        switch status {
        case 303: self = .made
        case 408, 499: self = .unknown
        case 200..<300, 400..<500: self = .notMade
        default: self = .unknown
        }
    }
}

extension APIError {
    /// The outcome of the requested change: as its client determined it, else by status and code.
    public var outcome: ChangeOutcome {
        if let settledOutcome { return settledOutcome }
        let unsettled: [ErrorCode] = [
            .connectionLost, .timedOut, .invalidResponse, .answerTooLarge, .redirected, .cancelled,
        ]
        if unsettled.contains(code) { return .unknown }
        return status.map { ChangeOutcome(status: $0) } ?? .notMade
    }
}

extension Error {
    /// The outcome of the change that failed with this error; `notMade` for errors of neither an API nor a
    /// database.
    public var changeOutcome: ChangeOutcome {
        if let error = self as? APIError { return error.outcome }
        guard let error = self as? any ExplainedError else { return .notMade }
        if error.code == .unknownOutcome || error.code == .databaseOutcomeUnknown { return .unknown }
        return error.cause?.changeOutcome ?? .notMade
    }

    /// True if a change may have been made although it failed or its command was cancelled.
    public var mayHaveChanged: Bool { self is CancellationError || changeOutcome != .notMade }

    /// True if the request may have arrived, with no answer that says what happened.
    public var answerWasLost: Bool { changeOutcome == .unknown }

    /// The category of an error caused by this one: `cancelled` for a cancellation, else the same.
    public var causedCategory: ErrorCategory {
        self is CancellationError ? .cancelled : (self as? any ExplainedError)?.category ?? .failure
    }

    /// The reason that the outcome is unknown, as the end of a sentence.
    public var reasonOfDoubt: String {
        if self is CancellationError || apiError?.code == .cancelled {
            return "the command was cancelled after the request was sent"
        }
        guard let error = apiError else { return "the server's answer was lost" }
        let isAnswered = error.status != nil || error.code == .redirected
        return isAnswered ? "the server's answer does not say" : "the server's answer was lost"
    }
}
