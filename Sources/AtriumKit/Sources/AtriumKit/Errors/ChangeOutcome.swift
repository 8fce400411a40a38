/// What became of a change that ended with an error.
///
/// This is the one rule for it: messages, hints, exit codes and what is loaded again follow it. Only a change of
/// which it is certain that it was not made may be repeated without a check.
public enum ChangeOutcome: String, Sendable, Hashable {
    /// It was made; what is missing is its result.
    case made
    /// Nothing was sent, or the server refused it.
    case notMade
    /// It was sent, and no answer settles it.
    case unknown

    /// What the status of an answer says (RFC 9110, 15).
    ///
    /// A redirect leaves open whether the server did something first; a server that fails, or a gateway before it,
    /// may have done so after the change.
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
    /// What became of the change that was requested: as its client settled it, else by status and code.
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
    /// What became of the change that failed with this error, as far as it is about the server's API or a database.
    public var changeOutcome: ChangeOutcome {
        if let error = self as? APIError { return error.outcome }
        guard let error = self as? any ExplainedError else { return .notMade }
        if error.code == .unknownOutcome || error.code == .databaseOutcomeUnknown { return .unknown }
        return error.cause?.changeOutcome ?? .notMade
    }

    /// Whether a change may have been made although it failed; also one whose command was cancelled.
    public var mayHaveChanged: Bool { self is CancellationError || changeOutcome != .notMade }

    /// Whether the request may have arrived, and no answer says what became of it.
    public var answerWasLost: Bool { changeOutcome == .unknown }

    /// The category of what is thrown because of this error: `cancelled` for a cancellation, else its own.
    public var causedCategory: ErrorCategory {
        self is CancellationError ? .cancelled : (self as? any ExplainedError)?.category ?? .failure
    }

    /// Why it is not known whether a change was made, as the end of a sentence.
    public var reasonOfDoubt: String {
        if self is CancellationError || apiError?.code == .cancelled {
            return "the command was cancelled after the request was sent"
        }
        guard let error = apiError else { return "the server's answer was lost" }
        let isAnswered = error.status != nil || error.code == .redirected
        return isAnswered ? "the server's answer does not say" : "the server's answer was lost"
    }
}
