import AtriumKit

extension Error {
    /// What the server's API says of the failure, where it is behind it.
    private var apiError: APIError? {
        if let error = self as? APIError { return error }
        return (self as? any ExplainedError)?.cause?.apiError
    }

    /// Whether the service could not be asked, or not now.
    var isOffline: Bool { apiError?.isOffline ?? false }

    /// Whether any other command would fail for the same reason now.
    var concernsEverything: Bool { isOffline || apiError?.code == .notAuthenticated }

    /// Whether a change may have been made although it failed: the answer was lost, or makes no sense.
    var mayHaveChanged: Bool {
        if self is CancellationError { return true }
        guard let apiError else { return false }
        return apiError.status.map { !(400..<500).contains($0) } ?? (apiError.code != .notAuthenticated)
    }

    /// Whether the request may have arrived, and what the server says of it is not known.
    private var answerWasLost: Bool {
        let codes: [ErrorCode] = [.connectionLost, .timedOut, .invalidResponse, .answerTooLarge]
        return apiError.map { codes.contains($0.code) } ?? false
    }

    /// The error in the words of this module, with this one as its cause.
    func explained(as command: EntityCommand) -> any Error {
        if command.changes, answerWasLost { return EntityError.unknownOutcome(command, cause: self) }
        guard let error = self as? APIError else { return self }
        // Who has to sign in is told so, whatever it was for.
        if error.code == .notAuthenticated { return error }
        return error.isOffline ? EntityError.unavailable(error) : EntityError.failed(command, cause: error)
    }
}
