import AtriumKit

// The operations of the server's API on entities, with the names and types of the wire format.
//
// Reads ask the server each time, which may answer that nothing has changed: the repository has a cache, and
// an answer from a second one would count as seen now.

struct EntityAnswer: Decodable, Sendable {
    @Bounded<EntityIDs> private(set) var id: Int
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

    /// Returns the requested entity.
    ///
    /// - Throws: ``APIError`` if the answer is about another one.
    func entity(_ asked: Int) throws -> Entity {
        guard id == asked else {
            throw APIError.invalidResponse(
                "The server answered with entity \(id) instead of \(asked).", status: nil)
        }
        return entity
    }

    /// Returns the created entity, whose id was not known before.
    ///
    /// - Throws: ``ServiceError`` if the answer is about another one. Servers may store a name with other
    ///   white space or in other letter case, which is the same name.
    func entity(_ asked: EntityDraft) throws -> Entity {
        guard Self.normalized(name) == Self.normalized(asked.name) else {
            throw ServiceError.answeredWithAnother(name, insteadOf: asked.name)
        }
        return entity
    }

    private static func normalized(_ name: String) -> String {
        name.lowercased().filter { !$0.isWhitespace }
    }
}

/// The ids that a server assigns; lower ones stand for entities being created.
enum EntityIDs: NumberLimits {
    static var range: ClosedRange<Int> { 1...Int.max }
}

/// A time in the wire format (RFC 3339).
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

extension APIPage<EntityAnswer> {
    func page(_ query: EntityQuery) throws -> EntityPage {
        guard let total else {
            throw APIError.invalidResponse(
                "The server's page does not say how many entities there are.", status: nil)
        }
        return EntityPage(query: query, rows: rows.map(\.entity), total: total)
    }
}

struct ImportAnswer: Decodable, Sendable {
    @RowCount private(set) var created: Int
}

/// Changes in the wire format, a merge patch (RFC 7396): null removes, an omitted member stays.
private struct EntityChangesBody: Encodable, Sendable {
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

extension Endpoint where Answer == APIPage<EntityAnswer> {
    static func entities(_ query: EntityQuery) -> Self {
        Endpoint(
            .get, "v1/entities",
            query: [
                ("sort", query.sort.rawValue), ("category", query.category), ("search", query.search),
            ]
        ).page(query.page, size: query.size).with { $0.freshness = .reload }
    }
}

extension Endpoint where Answer == EntityAnswer {
    static func entity(_ id: Int) -> Self {
        Endpoint(.get, "v1/entities/:id", ["id": "\(id)"]).with { $0.freshness = .reload }
    }

    static func createEntity(_ draft: EntityDraft) -> Self {
        Endpoint(.post, "v1/entities", body: .json(draft), access: .required)
            .with { $0.repetition = .withKey }
    }

    static func updateEntity(_ id: Int, _ changes: EntityChanges) -> Self {
        Endpoint(
            .patch, "v1/entities/:id", ["id": "\(id)"], body: .json(EntityChangesBody(changes: changes)),
            access: .required
        ).with { $0.repetition = .withKey }
    }
}

extension Endpoint where Answer == EntityAnswer? {
    /// Deletes an entity; many servers return no body.
    static func deleteEntity(_ id: Int) -> Self {
        // With a key: a repeated deletion would find no entity to return.
        Endpoint(.delete, "v1/entities/:id", ["id": "\(id)"], access: .required)
            .with { $0.repetition = .withKey }
    }
}

extension Endpoint where Answer == CategoryList {
    static func categories(_ query: CategoryQuery) -> Self {
        let sort = query.sort == .name ? "name" : "mostUsed"
        return Endpoint(.get, "v1/categories", query: [("sort", sort), ("limit", "\(query.limit)")])
            .with { $0.freshness = .reload }
    }
}

extension Endpoint where Answer == ImportAnswer {
    static func importEntities(_ path: String) -> Self {
        Endpoint(
            .post, "v1/entities/import", body: .file(path, contentType: "application/x-ndjson"),
            access: .required
        ).with {
            $0.repetition = .withKey
            $0.timeLimit = .seconds(600)
        }
    }
}

extension Endpoint where Answer == NoAnswer {
    static func exportEntities() -> Self {
        Endpoint(.get, "v1/entities/export").with {
            $0.fields["Accept"] = "application/x-ndjson, application/problem+json"
            $0.freshness = .none
            $0.timeLimit = .seconds(600)
        }
    }
}
