import AtriumKit

/// Something that people keep track of: a name, and what they note about it.
struct Entity: Identifiable, Codable, Hashable, Sendable {
    /// Given when the entity is created, and never reused.
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
    /// As the entity has it that was in the category first; others may differ in case.
    let name: String
    /// How many entities are in it; at least one.
    @RowCount private(set) var count: Int
}

struct CategoryList: Codable, Hashable, Sendable {
    let rows: [EntityCategory]
    @RowCount private(set) var total: Int
}

/// The forms of texts under which entities are compared, sorted and found.
///
/// Case is ignored by Unicode's lower-case mapping, the same in every language; accents are not ignored,
/// and texts that differ in normalization differ.
enum SearchKey {
    /// Separates the fields of an entity, so that no search matches across two of them: no field and no search
    /// may contain it.
    private static let separator = "\u{1F}"

    static func of(_ text: String) -> String { text.lowercased() }

    /// The form of all texts of an entity that a search looks at.
    static func ofAll(name: String, category: String?, notes: String?) -> String {
        of([name, category ?? "", notes ?? ""].joined(separator: separator))
    }
}
