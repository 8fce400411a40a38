import AtriumKit

/// The place that lists entities; what is not given has the list's defaults.
struct EntityList: Destination {
    static let pattern: LinkPattern = "entities"
    static let version = 2

    var page: Int?
    /// How many entities a page has; nil for as many as there is room for.
    var size: Int?
    var sort: EntitySort?
    var category: String?
    var search: String?

    /// What is to be listed, where there is room for so many entities on a page.
    func query(fitting room: Int = EntityQuery.defaultSize) -> EntityQuery {
        EntityQuery(
            page: page ?? 1, size: size ?? room, sort: sort ?? .name, category: category, search: search)
    }

    /// Version 1 had pages of 20 entities where no size was given; the page that was meant is shown again.
    static func migrate(_ properties: JSONObject, from version: Int) -> JSONObject? {
        guard properties["page"] != nil, properties["size"] == nil else { return properties }
        var properties = properties
        properties["size"] = .integer(20)
        return properties
    }
}

extension EntityList {
    /// The place that lists what `query` asks for, in pages of `size`, or of as many entities as there is room
    /// for.
    init(_ query: EntityQuery, size: Int?) {
        self.init(
            page: query.page == 1 ? nil : query.page, size: size,
            sort: query.sort == .name ? nil : query.sort, category: query.category, search: query.search)
    }
}
