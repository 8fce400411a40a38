/// Why a service or a repository could not do what it was asked, as a sentence.
///
/// Modules add their own failures, one factory each:
///
/// ```swift
/// extension ServiceError {
///     static func notFound(_ id: Int) -> ServiceError {
///         ServiceError(.notFound, "There is no entity \(id).", hint: "entities")
///     }
/// }
/// ```
public struct ServiceError: ExplainedError, Equatable {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let category: ErrorCategory
    /// The failure of the layer below; not compared.
    public var cause: (any Error)?

    public init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
        self.cause = cause
    }

    public static func == (left: ServiceError, right: ServiceError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.category == right.category
    }

    /// The same error with a cause.
    public func because(of cause: any Error) -> ServiceError {
        var error = self
        error.cause = cause
        return error
    }

    /// Nobody is signed in.
    public static let notAuthenticated = ServiceError(
        .notAuthenticated, "You are not signed in.", hint: "session sign-in --email EMAIL")

    /// What scenario `error` of the mock of `service` throws; its hint ends the scenario.
    public static func unavailable(_ subject: String, mock service: String) -> ServiceError {
        ServiceError(
            .serviceUnavailable, "\(subject) does not answer.", hint: "mock set \(service) success")
    }
}

// MARK: - Failures of the API

extension ServiceError {
    /// Runs `work` and explains failures of the API as ``explain(_:_:)`` does.
    nonisolated(nonsending) public static func explaining<Value>(
        _ what: String, _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            throw explain(error, what)
        }
    }

    /// An ``APIError`` in the words of a service, with the error as the cause; other errors stay as they are.
    ///
    /// ``notAuthenticated`` if nobody is signed in; ``ValidationError`` if the server names fields; else
    /// "`what`: `reason`", where `what` begins a sentence: "The profile could not be read".
    public static func explain(_ error: any Error, _ what: String) -> any Error {
        guard let error = error as? APIError else { return error }
        if error.isUnauthenticated { return notAuthenticated.because(of: error) }
        if let invalid = error.validationError { return invalid }
        return ServiceError(
            error.isOffline ? .serviceUnavailable : error.code, "\(what): \(error.message)",
            hint: error.hint, category: error.category, cause: error)
    }
}

extension APIError {
    /// Whether the server, or its client, says that nobody is signed in.
    public var isUnauthenticated: Bool { code == .notAuthenticated || status == 401 }

    /// The fields that the server refused (status 400 or 422); nil if it names none.
    public var validationError: ValidationError? {
        guard status == 400 || status == 422, let findings = problem?.findings, !findings.isEmpty else {
            return nil
        }
        return ValidationError(findings: findings, cause: self)
    }
}

extension Error {
    /// The failure of the server's API that this error is, or was made from.
    public var apiError: APIError? {
        if let error = self as? APIError { return error }
        return (self as? any ExplainedError)?.cause?.apiError
    }

    /// Whether the server could not be reached, or not now.
    public var isOffline: Bool { apiError?.isOffline ?? false }
}

extension ErrorCode {
    /// A service does not answer.
    public static let serviceUnavailable: ErrorCode = "serviceUnavailable"
    /// A change may have been made: its answer was lost.
    public static let unknownOutcome: ErrorCode = "unknownOutcome"
}
