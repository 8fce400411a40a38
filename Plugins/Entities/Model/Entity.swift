import AtriumKit

/// Something that people keep track of: a name, and what they note about it.
struct Entity: Identifiable, Codable, Hashable, Sendable {
    /// Given when the entity is created, and never again to another one.
    let id: Int
    var name: String
    /// nil where the entity is in no category.
    var category: String?
    /// nil where there are none.
    var notes: String?
    let createdAt: Timestamp
    var updatedAt: Timestamp

    /// The longest name, in characters.
    static let maximumName = 200
    /// The longest category, in characters.
    static let maximumCategory = 100
    /// The longest notes, in characters.
    static let maximumNotes = 10_000
}
