import AtriumKit

/// A rule of the business was broken, or the business refused.
struct BusinessError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil,
        category: ErrorCategory = .failure
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.category = category
    }

    /// The age from which on a profile may be submitted, in years.
    static let minimumAge = 18

    static func minimumAgeRequired(age: Int) -> BusinessError {
        BusinessError(
            .minimumAgeRequired, "The age must be at least \(minimumAge), not \(age).", category: .validation)
    }

    static func submissionFailed(_ reason: String?) -> BusinessError {
        BusinessError(
            .submissionFailed, "The profile was not accepted" + (reason.map { ": \($0)" } ?? "."))
    }

    /// A submission of the same form is under way.
    static let submissionUnderWay = BusinessError(
        .submissionUnderWay, "The form is being submitted; nothing was submitted a second time.",
        hint: "profile/edit")

    /// A submission was sent, and nobody can say whether the profile is stored: the answer was lost, or makes
    /// no sense.
    static func unknownOutcome(_ cause: any Error) -> BusinessError {
        let reason = (cause as? any ExplainedError).map { " (\($0.message))" } ?? ""
        return BusinessError(
            .unknownOutcome,
            "It is not known whether the profile was stored: the server's answer was lost\(reason).",
            hint: "profile refresh", cause: cause)
    }

    /// Who waited for a submission was cancelled; what was sent can't be called back.
    static let goesOn = BusinessError(
        .cancelled,
        "Nobody waits for the submission any more; it goes on, and the form shows what becomes of it.",
        hint: "nav front profile/edit", category: .cancelled)

    /// Whenever the profile was to be stored, another one had been stored just before.
    static let overtaken = BusinessError(
        .overtaken, "The profile is being changed elsewhere all the time; nothing was submitted.",
        hint: "profile/edit")

    /// The profile is stored, and nobody can say whether its notification was sent.
    static func notificationInDoubt(_ cause: any Error) -> BusinessError {
        BusinessError(
            .notificationFailed, "The profile was stored; whether its notification was sent is not known.",
            hint: "profile/notifications", cause: cause)
    }

    static func notificationFailed(_ cause: any Error) -> BusinessError {
        BusinessError(
            .notificationFailed, "The profile was stored, but its notification could not be sent.",
            hint: "profile", cause: cause)
    }
}

extension ErrorCode {
    /// The person is too young.
    static let minimumAgeRequired: ErrorCode = "minimumAgeRequired"
    /// The service refused a profile.
    static let submissionFailed: ErrorCode = "submissionFailed"
    /// The form is submitted already.
    static let submissionUnderWay: ErrorCode = "submissionUnderWay"
    /// A submission that may have been stored.
    static let unknownOutcome: ErrorCode = "unknownOutcome"
    /// Others were faster.
    static let overtaken: ErrorCode = "overtaken"
    /// The profile is stored, but nobody was told.
    static let notificationFailed: ErrorCode = "notificationFailed"
}
