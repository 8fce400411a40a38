import AtriumKit

/// Why something could not be done with entities.
struct EntityError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?
    let category: ErrorCategory
    let cause: (any Error)?

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
        self.cause = cause
    }

    /// Whether both say the same; their causes may differ.
    static func == (left: EntityError, right: EntityError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.category == right.category
    }

    static func notFound(_ id: Int, cause: (any Error)? = nil) -> EntityError {
        EntityError(.notFound, "There is no entity \(id).", hint: "entities", cause: cause)
    }

    static func nothingToChange(_ id: Int) -> EntityError {
        EntityError(
            .missingArgument, "'update' needs at least one of 'name', 'category' and 'notes'.",
            hint: "entities/\(id) update --name NAME", category: .validation)
    }

    static func noCategory(_ name: String, nearest: String?) -> EntityError {
        EntityError(
            .notFound, "No entity is in a category '\(name)'.", hint: nearest.map { "Did you mean '\($0)'?" })
    }

    static let isBeingSaved = EntityError(.isBeingSaved, "The entity is being saved already.")

    static func noPageAfter(_ page: Int) -> EntityError {
        EntityError(.noSuchPage, "There is no page after page \(page).")
    }

    static let noPageBeforeFirst = EntityError(.noSuchPage, "There is no page before page 1.")

    /// What scenario `error` of the mock answers.
    static let unavailable = EntityError(
        .serviceUnavailable, "The entity service does not answer.",
        hint: "mock set EntityService success")

    /// The service can't be asked, or not now: what was known before may be shown instead.
    static func unavailable(_ cause: any Error) -> EntityError {
        let hint = (cause as? any ExplainedError)?.hint
        return EntityError(
            .serviceUnavailable, "The entity service does not answer.", hint: hint ?? "api", cause: cause)
    }

    /// A command failed for a reason that the layer below tells.
    static func failed(_ command: EntityCommand, cause: any Error) -> EntityError {
        let reason = cause as? any ExplainedError
        let detail = reason.map { ": \($0.message)" } ?? "."
        return EntityError(
            command.failureCode, command.failure + detail, hint: reason?.hint,
            category: reason?.category ?? .failure, cause: cause)
    }

    /// A change was sent, and nobody can say whether it was made: the answer was lost, or makes no sense.
    static func unknownOutcome(_ command: EntityCommand, cause: any Error) -> EntityError {
        let reason = (cause as? any ExplainedError).map { " (\($0.message))" } ?? ""
        return EntityError(
            .unknownOutcome,
            "It is not known whether the change was made: the server's answer was lost\(reason).",
            hint: "entities list --refresh", cause: cause)
    }

    /// Who waited for a change was cancelled; what was sent can't be called back.
    static let goesOn = EntityError(
        .cancelled,
        "Nobody waits for the change any more; it goes on, and the list shows what becomes of it.",
        hint: "entities", category: .cancelled)

    static let transferUnderWay = EntityError(
        .transferUnderWay, "An import, export or deletion of this list is under way.", hint: "jobs")

    /// Of several entities not all were deleted; `report` says what became of which.
    static func notAllDeleted(
        _ report: String, isCancelled: Bool, cause: (any Error)? = nil
    ) -> EntityError {
        EntityError(
            isCancelled ? .cancelled : .notAllDeleted, report, hint: "entities list --refresh",
            category: isCancelled ? .cancelled : .failure, cause: cause)
    }

    /// An entity that is being created can't be changed before it is there.
    static let isBeingCreated = EntityError(
        .isBeingSaved, "The entity is being created, and can't be changed before it is.")
}

extension ErrorCode {
    /// The list ends before the page.
    static let noSuchPage: ErrorCode = "noSuchPage"
    /// The form was submitted, and is not answered yet.
    static let isBeingSaved: ErrorCode = "isBeingSaved"
    /// A change that may have been made.
    static let unknownOutcome: ErrorCode = "unknownOutcome"
    /// Some of several entities were not deleted.
    static let notAllDeleted: ErrorCode = "notAllDeleted"
    /// A list is being imported into or exported, or deleted from.
    static let transferUnderWay: ErrorCode = "transferUnderWay"
    /// The service does not answer.
    static let serviceUnavailable: ErrorCode = "serviceUnavailable"
}
