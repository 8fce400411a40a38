import AtriumKit

/// A user, as the server describes one.
struct UserAnswer: Decodable, Sendable {
    let id: String
    let email: String
    /// nil until a profile gives a name.
    let displayName: String?

    /// The person for the session.
    var sessionUser: SessionUser {
        SessionUser(id: id, email: email, displayName: displayName.flatMap { $0.isEmpty ? nil : $0 })
    }
}

/// What an account is created from.
struct NewUserBody: Encodable, Sendable {
    let email: String
    let password: String

    init(_ credentials: Credentials) {
        email = credentials.email
        password = credentials.password
    }
}

/// The sessions of a person, as the server lists them.
struct SessionListAnswer: Decodable, Sendable {
    let rows: [Row]

    struct Row: Decodable, Sendable {
        let id: String
        let createdAt: String
        let lastUsedAt: String
        let isCurrent: Bool

        /// The session as people are told of it.
        ///
        /// - Throws: ``APIError`` of code `invalidResponse` where a time is none.
        func record() throws -> SessionRecord {
            SessionRecord(
                id: id, createdAt: try Self.moment(createdAt, "createdAt"),
                lastUsedAt: try Self.moment(lastUsedAt, "lastUsedAt"), isCurrent: isCurrent)
        }

        private static func moment(_ text: String, _ field: String) throws -> Timestamp {
            guard let moment = Timestamp(rfc3339: text) else {
                throw APIError.invalidResponse(
                    "'\(text)' is not a time, which '\(field)' of a session has to be.", status: nil)
            }
            return moment
        }
    }
}
