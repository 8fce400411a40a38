import AtriumKit

// The operations of the server's API that profiles need: see Demos/server.

extension Endpoint where Answer == ProfileAnswer {
    /// The profile of an account; code 404 where none was submitted.
    ///
    /// The repository keeps it for a while; the client keeps nothing below that.
    static func profile(_ account: String) -> Self {
        Endpoint(.get, "v1/users/:id/profile", ["id": account], access: .required)
            .with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == ReceiptAnswer {
    /// Submits the profile of the signed-in person, in place of one version and no other; code 412 where that
    /// is not stored any more.
    ///
    /// Sent again with the same key, as the version is replaced by then.
    static func submit(_ profile: Profile, _ account: String, replacing version: ProfileVersion) -> Self {
        Endpoint(
            .put, "v1/users/:id/profile", ["id": account], body: .json(ProfileBody(profile)),
            access: .required
        ).with {
            $0.repetition = .withKey
            if version == .none {
                $0.fields.append("If-None-Match", "*")
            } else {
                $0.fields.append("If-Match", "\"\(version.number)\"")
            }
        }
    }
}

extension Endpoint where Answer == NotificationAnswer {
    /// Tells the person of an account; sent again with the same key, the server tells them once.
    static func notify(_ kind: NotificationKind, _ account: String) -> Self {
        Endpoint(
            .post, "v1/users/:id/notifications", ["id": account], body: .json(["kind": kind.rawValue]),
            access: .required
        ).with { $0.repetition = .withKey }
    }
}

extension Endpoint where Answer == NotificationListAnswer {
    /// What the person of an account was told, the newest first.
    static func notifications(_ account: String, limit: Int) -> Self {
        Endpoint(
            .get, "v1/users/:id/notifications", ["id": account], query: [("limit", "\(limit)")],
            access: .required
        ).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == UserAnswer {
    /// The signed-in person, asked from the server each time.
    static var me: Self {
        Endpoint(.get, "v1/users/me", access: .required).with { $0.freshness = .none }
    }

    static func user(_ id: String) -> Self {
        Endpoint(.get, "v1/users/:id", ["id": id], access: .required)
    }
}

extension Endpoint where Answer == UserListAnswer {
    /// A page of the people that `query` asks for.
    static func users(_ query: UserQuery) -> Self {
        Endpoint(
            .get, "v1/users",
            query: [
                ("search", query.filter.search), ("status", query.filter.status?.rawValue),
                ("sort", query.sort.rawValue), ("page", "\(query.page)"), ("size", "\(query.size)"),
            ],
            access: .required)
    }
}
