import AtriumKit

struct Note: Hashable, Sendable, Identifiable {
    let id: Int
    var title: String
    var text: String
    let created: Timestamp
}

struct NotePage: Hashable, Sendable {
    let notes: [Note]
    /// The number of notes on all pages.
    let total: Int
    let hasNext: Bool

    /// The number of notes on a page.
    static let size = 10
}

extension ServiceError {
    static func noSuchNote(_ id: Int, cause: (any Error)? = nil) -> ServiceError {
        ServiceError("notFound", "There is no note \(id).", hint: "notes", cause: cause)
    }

    static func wrongPassword(cause: (any Error)? = nil) -> ServiceError {
        ServiceError("invalidCredentials", "The email or the password is wrong.", cause: cause)
    }
}
