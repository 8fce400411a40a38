import AtriumKit

/// Anything that users keep track of: a name, and notes about it.
struct Entity: Record, Codable {
    /// Assigned when the entity is created, and never reused.
    var id = 0
    var name = ""
    var category: String?
    var notes: String?
    var createdAt = Timestamp(microseconds: 0)
    var updatedAt = Timestamp(microseconds: 0)

    static let fields: Fields<Entity> = [
        RecordField(
            "name", "Its name, at most 200 characters", \.name, .length(1...200), .searched, .sorted),
        RecordField(
            "category", "Its category", \.category, .length(0...100), .searched, .filtered),
        RecordField("notes", "Its notes", \.notes, .lines(0...10_000), .searched),
        RecordField(
            "createdAt", "When it was created", \.createdAt, .createdAt, .label("Created"),
            .sorted("oldest", "newest")),
        RecordField(
            "updatedAt", "When it was changed", \.updatedAt, .updatedAt, .label("Updated"), .hidden),
    ]

    /// The texts that a search looks into.
    ///
    /// The separator is in neither fields nor searches, so that no search matches across two fields.
    var searchKey: String {
        SearchKey.of([name, category ?? "", notes ?? ""].joined(separator: "\u{1F}"))
    }
}
