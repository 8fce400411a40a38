import AtriumKit

extension ServiceError {
    static func notFound(_ id: Int, cause: (any Error)? = nil) -> ServiceError {
        ServiceError(.notFound, "There is no entity \(id).", hint: "entities", cause: cause)
    }

    static func nothingToChange(_ id: Int) -> ServiceError {
        ServiceError(
            .missingArgument, "'update' needs at least one of 'name', 'category' and 'notes'.",
            hint: "entities/\(id) update --name NAME", category: .validation)
    }

    static func noCategory(_ name: String, nearest: String?) -> ServiceError {
        ServiceError(
            .notFound, "No entity is in a category '\(name.excerpt)'.",
            hint: nearest.map { "Did you mean '\($0)'?" })
    }

    static let isBeingSaved = ServiceError("isBeingSaved", "The entity is being saved already.")

    /// An entity can't be changed while it is being created.
    static let isBeingCreated = ServiceError(
        "isBeingSaved", "The entity is still being created and can't be changed yet.")

    static func noPageAfter(_ page: Int) -> ServiceError {
        ServiceError("noSuchPage", "There is no page after page \(page).")
    }

    static let noPageBeforeFirst = ServiceError("noSuchPage", "There is no page before page 1.")

    static let unavailable: ServiceError = .unavailable("The entity service", mock: "EntityService")

    static func unavailable(_ cause: any Error) -> ServiceError {
        let hint = (cause as? any ExplainedError)?.hint
        return ServiceError(
            .serviceUnavailable, "The entity service does not answer.", hint: hint ?? "api", cause: cause)
    }

    static func failed(_ command: EntityCommand, cause: any Error) -> ServiceError {
        let reason = cause as? any ExplainedError
        let detail = reason.map { ": \($0.message)" } ?? "."
        return ServiceError(
            command.failureCode, command.failure + detail, hint: reason?.hint,
            category: reason?.category ?? .failure, cause: cause)
    }

    /// A change was sent, and its answer was lost or is invalid.
    static func unknownOutcome(cause: any Error) -> ServiceError {
        let reason = (cause as? any ExplainedError).map { " (\($0.message))" } ?? ""
        return ServiceError(
            .unknownOutcome,
            "It is not known whether the change was made: \(cause.reasonOfDoubt)\(reason).",
            hint: "entities list --refresh", category: cause.causedCategory, cause: cause)
    }

    /// A request to create an entity was answered with an entity of another name.
    static func answeredWithAnother(_ name: String, insteadOf asked: String) -> ServiceError {
        ServiceError(
            .unknownOutcome,
            "It is not known whether '\(asked)' was created: the server answered with entity '\(name)'.",
            hint: "entities list --refresh")
    }

    /// A command was cancelled while it waited for a change, which can't be recalled.
    static let cancelledWhenSent = unknownOutcome(cause: CancellationError())

    static let transferUnderWay = ServiceError(
        "transferUnderWay", "An import, export or deletion of this list is in progress.", hint: "jobs")

    /// Some of several entities were not deleted; `report` has the outcome of each.
    static func notAllDeleted(
        _ report: String, isKnown: Bool, isCancelled: Bool, cause: (any Error)? = nil
    ) -> ServiceError {
        let code = isCancelled ? ErrorCode.cancelled : .notAllDeleted
        return ServiceError(
            isKnown ? code : .unknownOutcome, report, hint: "entities list --refresh",
            category: isCancelled ? .cancelled : .failure, cause: cause)
    }

    static func unknownFormat(_ path: String) -> ServiceError {
        ServiceError(
            "unknownFormat",
            "The format of '\(path)' is not known: its name ends neither in .csv nor in .jsonl.",
            hint: "Give the format: --format csv or --format jsonl.", category: .validation)
    }

    static let noPath = ServiceError(
        "unknownFormat", "A file needs a name, without NUL in it.", category: .validation)

    static func fileExists(_ path: String, cause: (any Error)? = nil) -> ServiceError {
        ServiceError(
            .fileExists, "The file '\(path)' exists already; nothing was exported.",
            hint: "Give --replace to replace it, or name another file.", cause: cause)
    }
}

extension ValidationError {
    /// Some rows of a file are invalid; the message has the first findings.
    static func invalidFile(
        _ path: String, _ findings: [ValidationFinding], cause: (any Error)? = nil
    ) -> ValidationError {
        let isCut = findings.count >= EntityFile.maximumFindings
        let count = findings.count == 1 ? "a mistake" : "\(findings.count) mistakes\(isCut ? " or more" : "")"
        let shown = findings.prefix(3).map(\.text)
        let rest = findings.count - shown.count
        let more = rest > 0 ? " And \(rest) more." : ""
        return ValidationError(
            "invalidFile", findings: findings,
            message: "The file '\(path)' has \(count); nothing was imported. "
                + shown.joined(separator: " ") + more,
            hint: "Correct the file, then import it again.", cause: cause)
    }
}

extension ErrorCode {
    static let notAllDeleted: ErrorCode = "notAllDeleted"
}

/// The commands on entities that rules and errors distinguish.
struct EntityCommand: Hashable, Sendable {
    let failureCode: ErrorCode
    /// The start of the sentence that reports a failure.
    let failure: String
    let changes: Bool

    static let fetch = EntityCommand("fetchFailed", "The entities could not be read", changes: false)
    static let create = EntityCommand("createFailed", "The entity could not be created")
    static let update = EntityCommand("updateFailed", "The entity could not be changed")
    static let delete = EntityCommand("deleteFailed", "The entity could not be deleted")
    static let deleteAll = EntityCommand("deleteFailed", "The entities could not be deleted")
    static let importing = EntityCommand("importFailed", "The entities could not be imported")
    static let exporting = EntityCommand("exportFailed", "The entities could not be exported", changes: false)

    private init(_ code: ErrorCode, _ failure: String, changes: Bool = true) {
        (failureCode, self.failure, self.changes) = (code, failure, changes)
    }
}

extension Error {
    /// The error in this module's words, with this one as its cause.
    func explained(as command: EntityCommand) -> any Error {
        if command.changes, changeOutcome == .unknown {
            if let error = self as? ServiceError, error.code == .unknownOutcome { return error }
            return ServiceError.unknownOutcome(cause: self)
        }
        // Keep the advice to sign in, whatever the command was; and a change that was made did not fail.
        guard let error = self as? APIError, error.code != .notAuthenticated, error.outcome != .made else {
            return self
        }
        return error.isOffline ? ServiceError.unavailable(error) : ServiceError.failed(command, cause: error)
    }
}
