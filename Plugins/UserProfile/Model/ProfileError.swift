import AtriumKit

// Errors of profiles; one factory for each failure.

extension ServiceError {
    static let anotherAccount = ServiceError(
        "anotherAccount",
        "The form belongs to another account than the signed-in one; nothing was submitted.",
        hint: "profile/edit")

    var isAboutSession: Bool { code == .notAuthenticated || self == .anotherAccount }

    // The errors of the mocks' scenario `error`.
    static let profiles = unavailable("The profile service", mock: "UserProfileService")
    static let authentication = unavailable("The authentication service", mock: "AuthenticationService")
    static let notifications = unavailable("The notification service", mock: "NotificationService")

    static func minimumAgeRequired(age: Int) -> ServiceError {
        ServiceError(
            .minimumAgeRequired, "The age must be at least \(Profile.minimumAge), not \(age).",
            category: .validation)
    }

    static func submissionFailed(_ reason: String?) -> ServiceError {
        ServiceError(.submissionFailed, "The profile was not accepted" + (reason.map { ": \($0)" } ?? "."))
    }

    static let submissionUnderWay = ServiceError(
        "submissionUnderWay", "The form is being submitted; nothing was submitted a second time.",
        hint: "profile/edit")

    /// A submission was sent, and its answer was lost or is invalid.
    static func unknownOutcome(_ cause: any Error) -> ServiceError {
        let reason = (cause as? any ExplainedError).map { " (\($0.message))" } ?? ""
        return ServiceError(
            .unknownOutcome,
            "It is not known whether the profile was stored: \(cause.reasonOfDoubt)\(reason).",
            hint: "profile refresh", category: cause.causedCategory, cause: cause)
    }

    /// A command was cancelled while it waited for a submission, which can't be recalled.
    static let cancelledWhenSent = unknownOutcome(CancellationError())

    /// Another profile was stored just before each attempt to store this one.
    static let overtaken = ServiceError(
        "overtaken", "Others keep changing the profile at the same time; nothing was submitted.",
        hint: "profile/edit")

    static func notificationFailed(_ cause: any Error) -> ServiceError {
        let (reason, hint) =
            cause.answerWasLost
            ? ("; whether its notification was sent is not known.", "profile/notifications")
            : (", but its notification could not be sent.", "profile")
        return ServiceError(.notificationFailed, "The profile was stored\(reason)", hint: hint, cause: cause)
    }

    static func tooMany(_ count: Int, maximum: Int) -> ServiceError {
        ServiceError(
            .validation, "At most \(maximum) profiles can be asked for at once, not \(count).", hint: "users",
            category: .validation)
    }
}

extension ErrorCode {
    static let minimumAgeRequired: ErrorCode = "minimumAgeRequired"
    static let submissionFailed: ErrorCode = "submissionFailed"
    static let notificationFailed: ErrorCode = "notificationFailed"
}
