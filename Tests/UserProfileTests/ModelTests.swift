import AtriumKit
import TestSupport
import Testing

@testable import UserProfile

@Suite("Models of UserProfile")
struct ModelTests {
    private static let profile = Profile(firstName: "用户", lastName: "👩‍👩‍👧‍👦", age: 0, bio: "one\ntwo")
    private static let user = DirectoryUser(
        id: "a", name: "Ada \"Augusta\"", email: "ada@example.com", status: .inactive)
    private static let unknown = DirectoryUser(id: "b", name: "b")

    static let samples = ModelSamples(
        "UserProfile",
        exceptions: [
            "SubmissionReceipt": "is an answer within the process"
        ],
        [
            .init(profile, Profile()),
            .init(StoredProfile(profile: profile, version: ProfileVersion(number: 3)), .none),
            .init(ProfileVersion(number: 3, tag: "W/\"x\"") ?? .none, .none),
            .init(Notification(id: 1, kind: .profileUpdated, createdAt: Timestamp(microseconds: 1))),
            .init(NotificationKind.profileUpdated),
            .init(user, unknown), .init(.active, .inactive as UserStatus),
            .init(Person(user: user, profile: profile), Person(user: unknown, profile: nil)),
        ])

    @Test("A model is equal after it was encoded as JSON and decoded", arguments: samples.values)
    func roundTrip(_ values: ModelSamples.Values) throws {
        let changed = try values.changed()

        #expect(changed == [])
    }

    @Test("Every model has values above, or a reason why it is never encoded")
    func all() throws {
        let differences = try Self.samples.differences

        #expect(differences == [])
    }
}
