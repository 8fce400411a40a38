import AtriumKit

/// Anything that users keep track of: a name, and notes about it.
struct Entity: Identifiable, Codable, Hashable, Sendable {
    /// Assigned when the entity is created, and never reused.
    let id: Int
    var name: String
    var category: String?
    var notes: String?
    let createdAt: Timestamp
    var updatedAt: Timestamp

    /// The longest name, in characters.
    static let maximumName = 200
    /// The longest category, in characters.
    static let maximumCategory = 100
    /// The longest notes, in characters.
    static let maximumNotes = 10_000
    var searchKey: String { SearchKey.ofAll(name: name, category: category, notes: notes) }
}

struct EntityPage: Codable, Hashable, Sendable {
    let query: EntityQuery
    let rows: [Entity]
    @RowCount private(set) var total: Int
    var hasMore: Bool { query.offset + rows.count < total && !rows.isEmpty }
}

struct EntityCategory: Codable, Hashable, Sendable {
    /// The spelling of the first entity in the category; others may differ in case.
    let name: String
    /// The number of entities in it; at least one.
    @RowCount private(set) var count: Int
}

struct CategoryList: Codable, Hashable, Sendable {
    let rows: [EntityCategory]
    @RowCount private(set) var total: Int
}

extension SearchKey {
    /// Separates the fields of an entity, so that no search matches across two of them; neither fields nor
    /// searches may contain it.
    private static let separator = "\u{1F}"

    /// The search key of all texts of an entity.
    static func ofAll(name: String, category: String?, notes: String?) -> String {
        of([name, category ?? "", notes ?? ""].joined(separator: separator))
    }
}
