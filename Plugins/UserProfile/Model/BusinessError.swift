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
    /// The profile is stored, but nobody was told.
    static let notificationFailed: ErrorCode = "notificationFailed"
}
