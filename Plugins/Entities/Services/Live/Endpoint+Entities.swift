import AtriumKit

// The operations of the server's API on entities.
//
// What is read is asked of the server each time, which may answer that it has not changed: the repository
// keeps it already, and an answer that was stored for some seconds would be told as one of now.

extension Endpoint where Answer == EntityPageAnswer {
    static func entities(_ query: EntityQuery) -> Self {
        Endpoint(
            .get, "v1/entities",
            query: [
                ("page", "\(query.page)"), ("size", "\(query.size)"), ("sort", query.sort.rawValue),
                ("category", query.category), ("search", query.search),
            ]
        ).with { $0.freshness = .reload }
    }
}

extension Endpoint where Answer == EntityAnswer {
    static func entity(_ id: Int) -> Self {
        Endpoint(.get, "v1/entities/:id", ["id": "\(id)"]).with { $0.freshness = .reload }
    }

    static func createEntity(_ draft: EntityDraft) -> Self {
        Endpoint(.post, "v1/entities", body: .json(EntityDraftBody(draft)), access: .required)
            .with { $0.repetition = .withKey }
    }

    static func updateEntity(_ id: Int, _ changes: EntityChanges) -> Self {
        // The same values once more change nothing but the time of the update.
        Endpoint(
            .patch, "v1/entities/:id", ["id": "\(id)"], body: .json(EntityChangesBody(changes: changes)),
            access: .required
        ).with { $0.repetition = .safe }
    }

    static func deleteEntity(_ id: Int) -> Self {
        // With a key, as a repeated deletion would find nothing to answer.
        Endpoint(.delete, "v1/entities/:id", ["id": "\(id)"], access: .required)
            .with { $0.repetition = .withKey }
    }
}

extension Endpoint where Answer == CategoryListAnswer {
    static func categories(_ query: CategoryQuery) -> Self {
        let sort =
            switch query.sort {
            case .name: "name"
            case .mostUsed: "mostUsed"
            }
        return Endpoint(.get, "v1/categories", query: [("sort", sort), ("limit", "\(query.limit)")])
            .with { $0.freshness = .reload }
    }
}

extension Endpoint where Answer == ImportAnswer {
    /// Sends the file of JSON lines at a path.
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
    /// Answers JSON lines, to be downloaded.
    static func exportEntities() -> Self {
        Endpoint(.get, "v1/entities/export").with {
            $0.fields["Accept"] = "application/x-ndjson, application/problem+json"
            $0.freshness = .none
            $0.timeLimit = .seconds(600)
        }
    }
}
