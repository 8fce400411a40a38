/// What of a list of entities is kept with its stack entry: which page of which list is shown.
struct EntityListPosition: Codable, Hashable, Sendable {
    let query: EntityQuery
    /// Whether pages have as many entities as there is room for.
    let fitsRoom: Bool

    init(query: EntityQuery, fitsRoom: Bool) {
        self.query = query
        self.fitsRoom = fitsRoom
    }

    /// Version 1.0 of the module kept the query alone, its size being meant.
    init(from decoder: any Decoder) throws {
        query = try EntityQuery(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        fitsRoom = try container.decodeIfPresent(Bool.self, forKey: .fitsRoom) ?? false
    }

    func encode(to encoder: any Encoder) throws {
        try query.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fitsRoom, forKey: .fitsRoom)
    }

    private enum CodingKeys: CodingKey {
        case fitsRoom
    }
}
