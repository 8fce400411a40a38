import AtriumKit

// The operations of the server's API on sessions, with the names and types of the wire format.

struct UserAnswer: Decodable, Sendable {
    let id: String
    let email: String
    let displayName: String?

    var sessionUser: SessionUser {
        SessionUser(id: id, email: email, displayName: displayName?.nilIfEmpty)
    }
}

struct SessionListAnswer: Decodable, Sendable {
    let rows: [SessionRecord]
}

extension Endpoint where Answer == UserAnswer {
    /// Creates an account; status 409 if the email already has one.
    static func createUser(_ credentials: Credentials) -> Self {
        let account = ["email": credentials.email, "password": credentials.password]
        return Endpoint(.post, "v1/users", body: .json(account), access: .anonymous)
    }

    /// The user of tokens that are not in use yet.
    static func me(_ tokens: AccessTokens) -> Self {
        Endpoint(.get, "v1/users/me", access: .explicit(tokens))
    }

    /// The signed-in user, requested from the server each time.
    static var me: Self {
        Endpoint(.get, "v1/users/me", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == SessionListAnswer {
    static var sessions: Self {
        Endpoint(.get, "v1/users/me/sessions", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == NoAnswer {
    static var endSessions: Self { Endpoint(.delete, "v1/users/me/sessions", access: .required) }
}

extension APIError {
    var isEmailTaken: Bool { problem?.name == "email-taken" }
}
