/// A failure of a service or a repository, explained in a sentence.
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
    /// A code of the kit such as `notFound`, or one that the module declares.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let category: ErrorCategory
    /// The failure of the layer below; not compared.
    public var cause: (any Error)?

    /// Creates a failure; `message` is one full sentence, `hint` a next step or a command that can be typed.
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

    /// Compares everything but the causes.
    public static func == (left: ServiceError, right: ServiceError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.category == right.category
    }

    /// Returns the same error with a cause.
    public func because(of cause: any Error) -> ServiceError {
        var error = self
        error.cause = cause
        return error
    }

    /// No user is signed in.
    public static let notAuthenticated = ServiceError(
        .notAuthenticated, "You are not signed in.", hint: "session sign-in --email EMAIL")

    /// The error of scenario `error` of the mock of `service`; its hint ends the scenario.
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

    /// Runs a change and explains its failures as ``explain(_:_:)`` does.
    ///
    /// A failure after which it may have been made is `unknownOutcome` instead: "It is not known whether
    /// `question`", where `question` ends the sentence, and `hint` is a command that answers it.
    nonisolated(nonsending) public static func explaining<Value>(
        _ what: String, ifUnknown question: String, hint: String,
        _ change: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do {
            return try await change()
        } catch  where error.mayHaveChanged {
            throw ServiceError(
                .unknownOutcome, "It is not known whether \(question): \(error.reasonOfDoubt).", hint: hint,
                category: error.causedCategory, cause: error)
        } catch {
            throw explain(error, what)
        }
    }

    /// Rewords an ``APIError`` for the callers of a service, keeping it as the cause; returns other errors as
    /// they are.
    ///
    /// ``notAuthenticated`` if no user is signed in; ``ValidationError`` if the server names fields; else
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
    /// True if the server, or its client, reports that no user is signed in.
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
    /// This error, or the one among its causes, that is a failure of the server's API.
    public var apiError: APIError? {
        if let error = self as? APIError { return error }
        return (self as? any ExplainedError)?.cause?.apiError
    }

    /// True if the server could not be reached, or not now.
    public var isOffline: Bool { apiError?.isOffline ?? false }
}

extension ErrorCode {
    /// A service does not answer.
    public static let serviceUnavailable: ErrorCode = "serviceUnavailable"
    /// A change may have been made: its answer was lost.
    public static let unknownOutcome: ErrorCode = "unknownOutcome"
}
