import AtriumKit

// The server's API, with names and types as they are on the wire.

extension APIConventions {
    /// Django REST framework with simplejwt.
    static let notes = APIConventions {
        $0.authorization.grant = nil
        $0.authorization.body = .json
        $0.authorization.tokenPath = "api/token/"
        $0.authorization.refreshPath = "api/token/refresh/"
        $0.authorization.refreshMember = "refresh"
        $0.authorization.revokePath = "api/token/blacklist/"
        $0.authorization.revokeMember = "refresh"
        $0.authorization.accessTokenMember = "access"
        $0.authorization.refreshTokenMember = "refresh"
        $0.authorization.signInCommand = "notes sign-in --email EMAIL"
        $0.idempotencyHeader = nil
        $0.paging.sizeParameter = "page_size"
        $0.paging.rowsMember = "results"
        $0.paging.totalMember = "count"
        $0.paging.nextMember = "next"
    }
}

struct NoteAnswer: Decodable, Sendable {
    let id: Int
    let title: String
    let text: String
    let created: Timestamp

    /// The note, which has to be the one that was asked for.
    func note(_ asked: Int? = nil) throws -> Note {
        guard asked == nil || asked == id else {
            throw APIError.invalidResponse("The server answered with another note: \(id).", status: nil)
        }
        return Note(id: id, title: title, text: text, created: created)
    }
}

/// What is left out stays.
struct NoteBody: Encodable, Sendable {
    var title: String?
    var text: String?
}

extension Endpoint where Answer == APIPage<NoteAnswer> {
    static func notes(page: Int, search: String?) -> Self {
        Endpoint(.get, "api/notes/", query: [("search", search)], access: .required)
            .page(page, size: NotePage.size)
    }
}

extension Endpoint where Answer == NoteAnswer {
    static func note(_ id: Int) -> Self {
        Endpoint(.get, "api/notes/:id/", ["id": "\(id)"], access: .required)
    }

    static func create(_ body: NoteBody) -> Self {
        Endpoint(.post, "api/notes/", body: .json(body), access: .required)
    }

    static func update(_ id: Int, _ body: NoteBody) -> Self {
        // Doing it twice has the effect of doing it once.
        Endpoint(.patch, "api/notes/:id/", ["id": "\(id)"], body: .json(body), access: .required)
            .with { $0.repetition = .safe }
    }
}

extension Endpoint where Answer == NoAnswer {
    static func delete(_ id: Int) -> Self {
        Endpoint(.delete, "api/notes/:id/", ["id": "\(id)"], access: .required)
    }
}
