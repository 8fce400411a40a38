import AtriumKit

// What the server answers and is sent, apart from the models: names and types as they are on the wire.

/// A moment on the wire (RFC 3339).
struct MomentAnswer: Decodable, Sendable {
    let timestamp: Timestamp

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let timestamp = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a moment as RFC 3339 writes it.")
        }
        self.timestamp = timestamp
    }
}

/// An entity on the wire.
struct EntityAnswer: Decodable, Sendable {
    let id: Int
    let name: String
    let category: String?
    let notes: String?
    let createdAt: MomentAnswer
    let updatedAt: MomentAnswer

    var entity: Entity {
        Entity(
            id: id, name: name, category: category, notes: notes, createdAt: createdAt.timestamp,
            updatedAt: updatedAt.timestamp)
    }
}

/// One page of a list on the wire.
struct EntityPageAnswer: Decodable, Sendable {
    let rows: [EntityAnswer]
    let total: Int

    func page(_ query: EntityQuery) -> EntityPage {
        EntityPage(query: query, rows: rows.map(\.entity), total: total)
    }
}

/// The categories on the wire.
struct CategoryListAnswer: Decodable, Sendable {
    struct Row: Decodable, Sendable {
        let name: String
        let count: Int
    }

    let rows: [Row]
    let total: Int

    var list: CategoryList {
        CategoryList(rows: rows.map { EntityCategory(name: $0.name, count: $0.count) }, total: total)
    }
}

/// How many entities an import created.
struct ImportAnswer: Decodable, Sendable {
    let created: Int
}

/// An entity to be created, on the wire.
struct EntityDraftBody: Encodable, Sendable {
    let name: String
    let category: String?
    let notes: String?

    init(_ draft: EntityDraft) {
        name = draft.text(of: .name) ?? ""
        category = draft.text(of: .category)
        notes = draft.text(of: .notes)
    }
}

/// Changes on the wire, as a merge patch (RFC 7396): null removes, what is left out stays.
struct EntityChangesBody: Encodable, Sendable {
    let changes: EntityChanges

    private enum Key: String, CodingKey {
        case name, category, notes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(changes.name, forKey: .name)
        if let category = changes.category { try container.encode(category.nilIfEmpty, forKey: .category) }
        if let notes = changes.notes { try container.encode(notes.nilIfEmpty, forKey: .notes) }
    }
}
