import AtriumKit

// The operations of the server's API, with names and types as they are on the wire.

struct Account: Decodable, Sendable {
    let id: String
}

struct Receipt: Decodable, Sendable {
    let isAccepted: Bool
    let reason: String?
}

extension Endpoint where Answer == Account {
    /// Who is signed in.
    static var me: Self { Endpoint(.get, "v1/users/me", access: .required) }
}

extension Endpoint where Answer == Member {
    /// Status 404 if nothing was submitted.
    static func member(_ account: Account) -> Self {
        Endpoint(.get, "v1/users/:id/profile", ["id": account.id], access: .required)
            .with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == Receipt {
    static func submit(_ member: Member, _ account: Account) -> Self {
        Endpoint(.put, "v1/users/:id/profile", ["id": account.id], body: .json(member), access: .required)
    }
}

extension ServiceError {
    static func refused(_ receipt: Receipt) -> ServiceError {
        ServiceError("refused", receipt.reason ?? "The server refused the member.", category: .refused)
    }
}
