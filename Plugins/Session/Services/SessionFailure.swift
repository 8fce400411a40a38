import AtriumKit

/// Makes this module's errors of what the API client throws; the cause is kept.
enum SessionFailure {
    /// Does something, and says what could not be done where it fails.
    ///
    /// - Throws: ``ValidationError`` where the server names fields; ``SessionError`` for every other
    ///   ``APIError``; else what `work` throws.
    nonisolated(nonsending) static func mapped<Value>(
        _ what: String, _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as APIError {
            throw mapped(error, what)
        }
    }

    private static func mapped(_ error: APIError, _ what: String) -> any Error {
        if error.isUnauthenticated { return SessionError.notAuthenticated.because(of: error) }
        let findings = (error.problem?.errors ?? []).map {
            ValidationFinding(field: $0.field ?? "request", message: $0.detail)
        }
        guard error.status == 422, !findings.isEmpty else {
            return SessionError.failed(what, cause: error)
        }
        return ValidationError(findings: findings, cause: error)
    }
}

extension APIError {
    /// Whether the server, or the client for it, says that nobody is signed in.
    var isUnauthenticated: Bool { code == .notAuthenticated || status == 401 }
    /// Whether an account has the email already.
    var isEmailTaken: Bool { problem?.name == "email-taken" }
}
