import AtriumKit

/// The place that shows one entity.
struct EntityDetail: Destination {
    static let pattern: LinkPattern = "entities/:id"

    let id: Int
}

/// The place with the form for a new entity; presented, it returns the entity's id.
struct NewEntity: ResultDestination {
    typealias Result = Int

    static let pattern: LinkPattern = "entities/new"
}

/// The place that lists the categories; presented, it returns the one that was chosen.
struct CategoryPicker: ResultDestination {
    typealias Result = String

    static let pattern: LinkPattern = "entities/categories"

    var sort: CategorySort?
    var limit: Int?

    /// What is to be listed.
    var query: CategoryQuery {
        CategoryQuery(sort: sort ?? .name, limit: limit ?? CategoryQuery.defaultLimit)
    }
}
