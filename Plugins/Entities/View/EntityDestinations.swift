import AtriumKit

/// All entities.
///
/// A property that is nil has its default.
struct EntityList: Destination {
    static let pattern: LinkPattern = "entities"
    static let version = 2

    var page: Int?
    /// The number of entities per page; nil for as many as fit.
    var size: Int?
    var sort: EntitySort?
    var category: String?
    var search: String?

    func query(fitting fittingSize: Int = EntityQuery.defaultSize) -> EntityQuery {
        EntityQuery(
            page: page ?? 1, size: size ?? fittingSize, sort: sort ?? .name, category: category,
            search: search)
    }

    /// In version 1 the default page size was 20.
    static func migrate(_ properties: JSONObject, from version: Int) -> JSONObject? {
        guard properties["page"] != nil, properties["size"] == nil else { return properties }
        var properties = properties
        properties["size"] = .integer(20)
        return properties
    }
}

extension EntityList {
    init(_ query: EntityQuery, size: Int?) {
        self.init(
            page: query.page == 1 ? nil : query.page, size: size,
            sort: query.sort == .name ? nil : query.sort, category: query.category, search: query.search)
    }
}

/// One entity.
struct EntityDetail: Destination {
    static let pattern: LinkPattern = "entities/:id"

    let id: Int
}

/// A form for a new entity.
///
/// Returns the entity's id to a screen that presents it.
struct NewEntity: ResultDestination {
    typealias Result = Int
    static let pattern: LinkPattern = "entities/new"
}

/// The categories, to choose one of them.
///
/// Returns the chosen one to a screen that presents it.
struct CategoryPicker: ResultDestination {
    typealias Result = String
    static let pattern: LinkPattern = "entities/categories"

    var sort: CategorySort?
    var limit: Int?

    var query: CategoryQuery {
        CategoryQuery(sort: sort ?? .name, limit: limit ?? CategoryQuery.defaultLimit)
    }
}
