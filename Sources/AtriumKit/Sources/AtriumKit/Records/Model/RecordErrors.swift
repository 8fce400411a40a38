extension ServiceError {
    /// There is no record of an id; a service of a module throws it too.
    public static func noRecord<Item: Record>(
        _ type: Item.Type, _ id: Item.ID, cause: (any Error)? = nil
    ) -> ServiceError { noRecord(type, RecordKey(id), cause: cause) }

    static func noRecord<Item: Record>(
        _ type: Item.Type, _ id: RecordKey, cause: (any Error)? = nil
    ) -> ServiceError {
        ServiceError(
            .notFound, "There is no \(Item.fields.noun.singular) \(id.words).", hint: Item.link, cause: cause)
    }

    static func nothingToChange<Item: Record>(_ type: Item.Type, _ id: Item.ID) -> ServiceError {
        let names = Item.fields.editable.map { "'\($0.name)'" }
        let hint = Item.fields.editable.first.map { "\(Item.link(of: id)) update --\($0.name) VALUE" }
        return ServiceError(
            .missingArgument, "'update' needs at least one of \(names.listed(with: "and")).", hint: hint,
            category: .validation)
    }

    static func notUnique(_ noun: RecordNoun, _ fields: [String], _ cause: any Error) -> ServiceError {
        let names = fields.map { "'\($0)'" }.joined(separator: " or ")
        return ServiceError(
            .uniqueViolation, "Two \(noun.plural) have the same \(names); nothing was stored.",
            hint: "Leave one of them out.", category: .validation, cause: cause)
    }

    static func changedMeanwhile(_ noun: RecordNoun, _ fields: [String]) -> ServiceError {
        let names = fields.map { "'\($0)'" }.joined(separator: ", ")
        return ServiceError(
            .changedMeanwhile, "The \(noun.singular) was changed meanwhile, in \(names).",
            hint: "Look at the present values, then save again.")
    }

    /// The records of a guarded screen are hidden when another user signs in.
    static func loadedForAnother(_ link: String) -> ServiceError {
        ServiceError(.notAuthenticated, OutdatedNotice.sentence, hint: link)
    }

    static func isBeingSaved(_ noun: RecordNoun) -> ServiceError {
        ServiceError("isBeingSaved", "The \(noun.singular) is being saved already.")
    }

    /// A record can't be changed while it is being created.
    static func isBeingCreated(_ noun: RecordNoun) -> ServiceError {
        ServiceError("isBeingSaved", "The \(noun.singular) is still being created and can't be changed yet.")
    }

    static func noPageAfter(_ page: Int) -> ServiceError {
        ServiceError("noSuchPage", "There is no page after page \(page).")
    }

    static let noPageBeforeFirst = ServiceError("noSuchPage", "There is no page before page 1.")

    static func unavailable(_ noun: RecordNoun, _ cause: any Error) -> ServiceError {
        let hint = (cause as? any ExplainedError)?.hint
        return ServiceError(
            .serviceUnavailable, "The \(noun.singular) service does not answer.", hint: hint ?? "api",
            cause: cause)
    }

    static func failed(_ command: RecordCommand, _ noun: RecordNoun, cause: any Error) -> ServiceError {
        let reason = cause as? any ExplainedError
        let detail = reason.map { ": \($0.message)" } ?? "."
        return ServiceError(
            command.failureCode, command.failure(noun) + detail, hint: reason?.hint,
            category: reason?.category ?? .failure, cause: cause)
    }

    /// A change was sent, and its answer was lost or is invalid; the list is at `link`.
    static func unknownOutcome(_ link: String, cause: any Error) -> ServiceError {
        let reason = (cause as? any ExplainedError).map { " (\($0.message))" } ?? ""
        return ServiceError(
            .unknownOutcome,
            "It is not known whether the change was made: \(cause.reasonOfDoubt)\(reason).",
            hint: "\(link) list --refresh", category: cause.causedCategory, cause: cause)
    }

    /// A request to create a record was answered with a record of another name.
    static func answeredWithAnother<Item: Record>(_ answer: Item, insteadOf asked: Item) -> ServiceError {
        ServiceError(
            .unknownOutcome,
            "It is not known whether '\(asked.recordName)' was created: the server answered with "
                + "\(Item.fields.noun.singular) '\(answer.recordName)'.", hint: "\(Item.link) list --refresh")
    }

    static func badSample<Item: Record>(
        _ type: Item.Type, _ number: Int, _ problem: String
    ) -> ServiceError {
        ServiceError(.badRecord, "Sample \(number) of \(Item.self) breaks a rule: \(problem)")
    }

    static func noImport<Item: Record>(_ type: Item.Type) -> ServiceError {
        ServiceError(
            "notSupported", "The service of \(Item.fields.noun.plural) can't import files.",
            hint: "\(Item.link) create")
    }

    static func isReadOnly<Item: Record>(_ type: Item.Type) -> ServiceError {
        ServiceError("notSupported", "\(Item.fields.noun.plural.capitalizingFirst) can't be changed.")
    }

    static func transferUnderWay() -> ServiceError {
        ServiceError(
            "transferUnderWay", "An import, export or deletion of this list is in progress.", hint: "jobs")
    }

    /// Some of several records were not deleted; `report` has the outcome of each.
    static func notAllDeleted(
        _ report: String, isKnown: Bool, isCancelled: Bool, link: String, cause: (any Error)? = nil
    ) -> ServiceError {
        let code: ErrorCode = isCancelled ? .cancelled : "notAllDeleted"
        return ServiceError(
            isKnown ? code : .unknownOutcome, report, hint: "\(link) list --refresh",
            category: isCancelled ? .cancelled : .failure, cause: cause)
    }
}

extension ValidationFinding {
    static func notUnique<Item: Record>(
        _ field: RecordField<Item>, of record: Item, row: Int? = nil
    ) -> ValidationFinding {
        let label = field.label.lowercased()
        let value =
            field.traits.isSecret
            ? "this \(label)" : "the \(label) '\((field.text(of: record) ?? "").excerpt)'"
        return ValidationFinding(
            "There is \(Item.fields.noun.withArticle) with \(value) already.", field: field.name, line: row)
    }
}

extension ErrorCode {
    /// Another change of the same value came first.
    public static let changedMeanwhile: ErrorCode = "changedMeanwhile"
}

/// The commands on records that errors distinguish.
struct RecordCommand: Hashable, Sendable {
    let failureCode: ErrorCode
    private let verb: String
    private let isOfMany: Bool
    let changes: Bool

    static let fetch = RecordCommand("fetchFailed", "read", isOfMany: true, changes: false)
    static let create = RecordCommand("createFailed", "created")
    static let update = RecordCommand("updateFailed", "changed")
    static let delete = RecordCommand("deleteFailed", "deleted")
    static let deleteAll = RecordCommand("deleteFailed", "deleted", isOfMany: true)
    static let importing = RecordCommand("importFailed", "imported", isOfMany: true)
    static let exporting = RecordCommand("exportFailed", "exported", isOfMany: true, changes: false)

    private init(_ code: ErrorCode, _ verb: String, isOfMany: Bool = false, changes: Bool = true) {
        (failureCode, self.verb, self.isOfMany, self.changes) = (code, verb, isOfMany, changes)
    }

    /// The start of the sentence that reports a failure.
    func failure(_ noun: RecordNoun) -> String {
        "The \(isOfMany ? noun.plural : noun.singular) could not be \(verb)"
    }
}

extension Error {
    /// The error in the words of the record, with this one as its cause.
    func explained<Item: Record>(as command: RecordCommand, of type: Item.Type) -> any Error {
        if command.changes, changeOutcome == .unknown {
            if let error = self as? ServiceError, error.code == .unknownOutcome { return error }
            return ServiceError.unknownOutcome(Item.link, cause: self)
        }
        // Keep the advice to sign in, whatever the command was; and a change that was made did not fail.
        guard let error = self as? APIError, error.code != .notAuthenticated, error.outcome != .made else {
            return self
        }
        return error.isOffline
            ? ServiceError.unavailable(Item.fields.noun, error)
            : ServiceError.failed(command, Item.fields.noun, cause: error)
    }
}

/// Makes a change for a command, and explains a cancellation: a sent change can't be recalled.
@MainActor
func reportingCancellation<Item: Record>(
    of type: Item.Type, _ change: () async throws -> ActionResult
) async throws -> ActionResult {
    do {
        return try await change()
    } catch is CancellationError {
        throw ServiceError.unknownOutcome(Item.link, cause: CancellationError())
    }
}

extension [String] {
    /// The texts as a sentence lists them: `a, b and c`.
    func listed(with word: String) -> String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(word) " + self[count - 1]
    }
}
