import AtriumKit

/// Why something could not be done with entities.
struct EntityError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?
    let category: ErrorCategory

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
    }

    static func notFound(_ id: Int) -> EntityError {
        EntityError(.notFound, "There is no entity \(id).", hint: "entities")
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
        hint: "modules.json sets \"scenario\" of module Entities to \"error\".")
}

extension ErrorCode {
    /// The list ends before the page.
    static let noSuchPage: ErrorCode = "noSuchPage"
    /// The form was submitted, and is not answered yet.
    static let isBeingSaved: ErrorCode = "isBeingSaved"
    /// The service does not answer.
    static let serviceUnavailable: ErrorCode = "serviceUnavailable"
}
