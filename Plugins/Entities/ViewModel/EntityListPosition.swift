/// The part of a list's state kept by its stack entry: the query and the number of pages shown.
struct EntityListPosition: Codable, Hashable, Sendable {
    let query: EntityQuery
    let fitsRoom: Bool
    let pages: Int

    /// The maximum number of pages read at once when the list is shown again.
    private static let maximumPages = 100

    init(query: EntityQuery, fitsRoom: Bool, pages: Int = 1) {
        self.query = query
        self.fitsRoom = fitsRoom
        self.pages = min(max(1, pages), Self.maximumPages)
    }

    /// Reads the state of earlier versions too: a query with a fixed size, later a single page.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            query: try EntityQuery(from: decoder),
            fitsRoom: try container.decodeIfPresent(Bool.self, forKey: .fitsRoom) ?? false,
            pages: try container.decodeIfPresent(Int.self, forKey: .pages) ?? 1)
    }

    func encode(to encoder: any Encoder) throws {
        try query.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fitsRoom, forKey: .fitsRoom)
        // Left out if possible, for earlier versions of the module.
        if pages > 1 { try container.encode(pages, forKey: .pages) }
    }

    private enum CodingKeys: CodingKey {
        case fitsRoom, pages
    }
}
