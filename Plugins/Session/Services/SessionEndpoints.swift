import AtriumKit

// The operations of the server's API that sessions need: see Demos/server.

extension Endpoint where Answer == UserAnswer {
    /// Creates an account; says so by code 409 where an account has the email.
    static func createUser(_ credentials: Credentials) -> Self {
        Endpoint(.post, "v1/users", body: .json(NewUserBody(credentials)), access: .anonymous)
    }

    /// The person of tokens that requests do not carry yet.
    static func me(_ tokens: AccessTokens) -> Self {
        Endpoint(.get, "v1/users/me", access: .explicit(tokens))
    }

    /// The signed-in person, asked from the server each time.
    static var me: Self {
        Endpoint(.get, "v1/users/me", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == SessionListAnswer {
    /// The sessions of the signed-in person.
    static var sessions: Self {
        Endpoint(.get, "v1/users/me/sessions", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == NoAnswer {
    /// Ends all sessions of the signed-in person.
    static var endSessions: Self { Endpoint(.delete, "v1/users/me/sessions", access: .required) }
}
