import AtriumKit

/// A service of this module could not do what it was asked.
struct ServiceError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    /// What the layer below said; not compared.
    let cause: (any Error)?

    private init(_ code: ErrorCode, _ message: String, hint: String?, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    // What scenario `error` of the mocks throws.

    static let profiles = mocked("The profile service does not answer.", "UserProfileService")
    static let authentication = mocked("The authentication service does not answer.", "AuthenticationService")
    static let notifications = mocked("The notification service does not answer.", "NotificationService")
    static let directory = mocked("The user directory does not answer.", "UserDirectoryService")

    private static func mocked(_ message: String, _ service: String) -> ServiceError {
        ServiceError(
            .serviceUnavailable, message, hint: "mock set \(service) success")
    }

    /// The server could not do something.
    ///
    /// - Parameters:
    ///   - what: What could not be done, as the beginning of a sentence: "The profile could not be read".
    ///   - cause: Why, in the words of the API.
    /// - Returns: The error, with the cause in it.
    static func failed(_ what: String, cause: APIError) -> ServiceError {
        ServiceError(
            cause.isOffline ? .serviceUnavailable : cause.code, "\(what): \(cause.message)",
            hint: cause.hint, cause: cause)
    }
}

extension ServiceError: Equatable {
    static func == (left: ServiceError, right: ServiceError) -> Bool {
        (left.code, left.message) == (right.code, right.message) && left.hint == right.hint
    }
}

extension ErrorCode {
    /// A service does not answer.
    static let serviceUnavailable: ErrorCode = "serviceUnavailable"
}
