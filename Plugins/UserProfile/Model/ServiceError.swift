import AtriumKit

/// A service of this module did not answer; what scenario `error` of the mocks throws.
struct ServiceError: ExplainedError, Equatable {
    let message: String
    var code: ErrorCode { "serviceUnavailable" }
    var hint: String? { "modules.json sets \"scenario\" of module UserProfile to \"error\"." }

    static let profiles = ServiceError(message: "The profile service does not answer.")
    static let authentication = ServiceError(message: "The authentication service does not answer.")
    static let notifications = ServiceError(message: "The notification service does not answer.")
}
