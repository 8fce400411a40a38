import AtriumKit

// The requests and responses of Demos/server, as JSON.

struct EntityAnswer: Decodable, Sendable {
    let id: Int
    let name: String
    let category: String?
    let notes: String?
    let createdAt: String
    let updatedAt: String
}

struct PageAnswer: Decodable, Sendable {
    let rows: [EntityAnswer]
    let total: Int
}

struct DraftBody: Encodable, Sendable {
    let name = "Bench lamp"
    let category = "Lighting"
    let notes = "Made by the benchmark."
}

extension Endpoint where Answer == EntityAnswer {
    static func entity(_ id: Int) -> Self { Endpoint(.get, "v1/entities/:id", ["id": "\(id)"]) }

    static func create() -> Self {
        Endpoint(.post, "v1/entities", body: .json(DraftBody()), access: .required)
    }
}

extension Endpoint where Answer == PageAnswer {
    static func page() -> Self {
        Endpoint(.get, "v1/entities", query: [("page", "1"), ("size", "20"), ("sort", "name")])
    }
}

extension Endpoint {
    /// The same endpoint without caching or sharing.
    var unstored: Self { with { $0.freshness = .none } }

    /// The same endpoint, revalidated with the server.
    var reloaded: Self { with { $0.freshness = .reload } }
}
