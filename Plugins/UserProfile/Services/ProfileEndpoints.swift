import AtriumKit

// The operations of the server's API on profiles and users, with the names and types of the wire format.

extension Endpoint where Answer == Answered<ProfileAnswer> {
    /// The profile of an account, which the repository caches; status 404 if none was submitted.
    static func profile(_ account: String) -> Self {
        Endpoint(.get, "v1/users/:id/profile", ["id": account], access: .required).with {
            $0.freshness = .none
        }
    }
}

extension Endpoint where Answer == Answered<ReceiptAnswer> {
    /// Submits the signed-in user's profile in place of one version; status 412 if another one is stored.
    ///
    /// With a key: a repeated submission would conflict with its own version.
    static func submit(_ profile: Profile, _ account: String, replacing version: ProfileVersion) -> Self {
        Endpoint(
            .put, "v1/users/:id/profile", ["id": account], body: .json(profile), access: .required
        ).with {
            $0.repetition = .withKey
            let (field, tag) =
                version == .none ? ("If-None-Match", "*") : ("If-Match", version.tag ?? version.numberTag)
            $0.fields.append(field, tag)
        }
    }
}

extension Endpoint where Answer == NotificationAnswer {
    static func notify(_ kind: NotificationKind, _ account: String) -> Self {
        Endpoint(
            .post, "v1/users/:id/notifications", ["id": account], body: .json(["kind": kind.rawValue]),
            access: .required
        ).with { $0.repetition = .withKey }
    }
}

extension Endpoint where Answer == APIPage<NotificationAnswer> {
    static func notifications(_ account: String, limit: Int) -> Self {
        Endpoint(
            .get, "v1/users/:id/notifications", ["id": account], query: [("limit", "\(limit)")],
            access: .required
        ).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == UserAnswer {
    /// The signed-in user, requested from the server each time.
    static var me: Self {
        Endpoint(.get, "v1/users/me", access: .required).with { $0.freshness = .none }
    }

    static func user(_ id: String) -> Self {
        Endpoint(.get, "v1/users/:id", ["id": id], access: .required)
    }
}

extension Endpoint where Answer == APIPage<UserAnswer> {
    static func users(_ query: RecordQuery<DirectoryUser>) -> Self {
        let order = query.sort?.isDescending == true ? "-name" : "name"
        return Endpoint(
            .get, "v1/users",
            query: [
                ("search", query.search?.normalized), ("status", query.filters["status"]), ("sort", order),
            ], access: .required
        ).page(query.page, size: query.size)
    }
}

struct ProfileAnswer: Decodable, Sendable {
    let firstName: String
    let lastName: String
    let age: Bounded<Profile.Ages>?
    let bio: String?
    let version: RowCount?
}

extension Answered where Value == ProfileAnswer {
    func stored() throws -> StoredProfile {
        let version = try version(value.version, or: "The profile has neither a 'version' nor an ETag.")
        var profile = Profile(firstName: value.firstName, lastName: value.lastName, bio: value.bio)
        profile.age = value.age?.wrappedValue
        return StoredProfile(profile: profile, version: version)
    }
}

struct ReceiptAnswer: Decodable, Sendable {
    let isAccepted: Bool
    let reason: String?
    let version: RowCount?
}

extension Answered where Value == ReceiptAnswer {
    func receipt() throws -> SubmissionReceipt {
        guard value.isAccepted else { return .refused(value.reason) }
        return .accepted(try version(value.version, or: "The profile that was accepted has no 'version'."))
    }
}

extension Answered {
    fileprivate func version(_ number: RowCount?, or mistake: String) throws -> ProfileVersion {
        if let version = ProfileVersion(number: number?.wrappedValue, tag: fields["ETag"]) { return version }
        throw APIError.invalidResponse(mistake, status: nil)
    }
}

struct NotificationAnswer: Decodable, Sendable {
    let id: Int
    let kind: String
    let createdAt: Timestamp

    /// The notification; nil for a kind that only later servers have.
    var notification: Notification? {
        NotificationKind(rawValue: kind).map { Notification(id: id, kind: $0, createdAt: createdAt) }
    }
}

struct UserAnswer: Decodable, Sendable {
    @TextID var id: String
    let email: String?
    let displayName: String?
    let status: String

    /// The user; an unknown status, from a later server, counts as inactive.
    var user: DirectoryUser {
        DirectoryUser(
            id: id, name: displayName?.nilIfEmpty ?? email ?? id, email: email,
            status: UserStatus(rawValue: status) ?? .inactive)
    }
}
