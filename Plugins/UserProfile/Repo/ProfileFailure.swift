import AtriumKit

extension Error {
    /// What the server's API says of the failure, where it is behind it.
    private var apiError: APIError? {
        if let error = self as? APIError { return error }
        return (self as? any ExplainedError)?.cause?.apiError
    }

    /// Whether the service could not be asked, or not now.
    var isOffline: Bool { apiError?.isOffline ?? false }

    /// Whether a change may have been made although it failed: the answer was lost, or makes no sense.
    var mayHaveChanged: Bool {
        if self is CancellationError { return true }
        guard let apiError else { return false }
        return apiError.status.map { !(400..<500).contains($0) } ?? (apiError.code != .notAuthenticated)
    }

    /// Whether the request may have arrived, and what the server says of it is not known.
    var answerWasLost: Bool {
        let codes: [ErrorCode] = [.connectionLost, .timedOut, .invalidResponse, .answerTooLarge]
        return apiError.map { codes.contains($0.code) } ?? false
    }
}
