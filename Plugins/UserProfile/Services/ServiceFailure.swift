import AtriumKit

/// Makes this module's errors of what the API client throws; the cause is kept.
enum ServiceFailure {
    /// Does something, and says what could not be done where it fails.
    ///
    /// - Throws: ``AuthenticationError`` where nobody is signed in; ``ValidationError`` where the server names
    ///   fields; ``ServiceError`` for every other ``APIError``; else what `work` throws.
    nonisolated(nonsending) static func mapped<Value>(
        _ what: String, _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw mapped(error, what)
        }
    }

    /// The same for an error that is at hand.
    static func mapped(_ error: any Error, _ what: String) -> any Error {
        guard let error = error as? APIError else { return error }
        if error.isUnauthenticated { return AuthenticationError.notAuthenticated.because(of: error) }
        let findings = (error.problem?.errors ?? []).compactMap { finding in
            finding.field.flatMap(ProfileField.init(rawValue:))
                .map { ValidationFinding(field: $0, message: finding.detail) }
        }
        guard error.status == 422, !findings.isEmpty else {
            return ServiceError.failed(what, cause: error)
        }
        return ValidationError(findings: findings, answer: error)
    }
}

extension APIError {
    /// Whether the server, or the client for it, says that nobody is signed in.
    var isUnauthenticated: Bool { code == .notAuthenticated || status == 401 }
    /// Whether the server does not have what was asked for.
    var isNotFound: Bool { status == 404 }
    /// Whether the server has another version of what was to be changed.
    var isOutdated: Bool { status == 412 }
}
