import AtriumKit

/// The place that lists entities; what is not given has the list's defaults.
struct EntityList: Destination {
    static let pattern: LinkPattern = "entities"

    var page: Int?
    var size: Int?
    var sort: EntitySort?
    var category: String?
    var search: String?

    /// What is to be listed.
    var query: EntityQuery {
        EntityQuery(
            page: page ?? 1, size: size ?? EntityQuery.defaultSize, sort: sort ?? .name, category: category,
            search: search)
    }
}

extension EntityList {
    /// The place that lists what `query` asks for.
    init(_ query: EntityQuery) {
        self.init(
            page: query.page == 1 ? nil : query.page,
            size: query.size == EntityQuery.defaultSize ? nil : query.size,
            sort: query.sort == .name ? nil : query.sort, category: query.category, search: query.search)
    }
}

/// The place that shows one entity.
struct EntityDetail: Destination {
    static let pattern: LinkPattern = "entities/:id"

    let id: Int
}

/// The place with the form for a new entity.
struct NewEntity: Destination {
    static let pattern: LinkPattern = "entities/new"
}
