import AtriumKit

/// A profile, as the server describes one.
struct ProfileAnswer: Decodable, Sendable {
    let firstName: String
    let lastName: String
    let age: Int?
    let bio: String?
    let version: Int

    var stored: StoredProfile {
        StoredProfile(
            profile: Profile(firstName: firstName, lastName: lastName, age: age, bio: bio),
            version: ProfileVersion(number: version))
    }
}

/// A profile, as the server takes one.
struct ProfileBody: Encodable, Sendable {
    let firstName: String
    let lastName: String
    let age: Int?
    let bio: String?

    init(_ profile: Profile) {
        firstName = profile.firstName
        lastName = profile.lastName
        age = profile.age
        bio = profile.bio
    }
}

/// What the server says of a submission.
struct ReceiptAnswer: Decodable, Sendable {
    let isAccepted: Bool
    let reason: String?
    let version: Int?

    /// - Throws: ``APIError`` of code `invalidResponse` where what was accepted has no version.
    func receipt() throws -> SubmissionReceipt {
        guard isAccepted else { return .refused(reason) }
        guard let version else {
            throw APIError.invalidResponse("The profile that was accepted has no 'version'.", status: nil)
        }
        return .accepted(ProfileVersion(number: version))
    }
}

/// A notification, as the server describes one.
struct NotificationAnswer: Decodable, Sendable {
    let id: Int
    let kind: String
    let createdAt: String

    /// The notification; nil where its kind is one of a later server.
    ///
    /// - Throws: ``APIError`` of code `invalidResponse` where its time is none.
    func notification() throws -> Notification? {
        guard let kind = NotificationKind(rawValue: kind) else { return nil }
        guard let moment = Timestamp(rfc3339: createdAt) else {
            throw APIError.invalidResponse(
                "'\(createdAt)' is not a time, which 'createdAt' of a notification has to be.", status: nil)
        }
        return Notification(id: id, kind: kind, createdAt: moment)
    }
}

/// The notifications of a person.
struct NotificationListAnswer: Decodable, Sendable {
    let rows: [NotificationAnswer]
}

/// A user, as the server describes one.
struct UserAnswer: Decodable, Sendable {
    let id: String
    let email: String?
    let displayName: String?
    let status: String

    /// The person; a status of a later server counts as inactive.
    var user: DirectoryUser {
        DirectoryUser(
            id: id, email: email, displayName: displayName.flatMap { $0.isEmpty ? nil : $0 },
            status: UserStatus(rawValue: status) ?? .inactive)
    }
}

/// A page of the users.
struct UserListAnswer: Decodable, Sendable {
    let rows: [UserAnswer]
    let total: Int
    let page: Int
    let size: Int

    var userPage: UserPage { UserPage(rows: rows.map(\.user), total: total, page: page, size: size) }
}
