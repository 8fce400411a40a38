import AtriumKit

/// What can be done with entities, as far as rules and errors tell it apart.
enum EntityCommand: Hashable, Sendable, CaseIterable {
    case fetch, create, update, delete, deleteAll, importing, exporting

    /// Whether it changes entities.
    var changes: Bool { self != .fetch && self != .exporting }

    /// What failed, as the beginning of a sentence.
    var failure: String {
        switch self {
        case .fetch: "The entities could not be read"
        case .create: "The entity could not be created"
        case .update: "The entity could not be changed"
        case .delete: "The entity could not be deleted"
        case .deleteAll: "The entities could not be deleted"
        case .importing: "The entities could not be imported"
        case .exporting: "The entities could not be exported"
        }
    }

    /// The code of an error that says that it failed.
    var failureCode: ErrorCode {
        switch self {
        case .fetch: "fetchFailed"
        case .create: "createFailed"
        case .update: "updateFailed"
        case .delete, .deleteAll: "deleteFailed"
        case .importing: "importFailed"
        case .exporting: "exportFailed"
        }
    }
}
