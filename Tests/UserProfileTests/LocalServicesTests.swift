import AtriumKit
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import UserProfile

@MainActor
@Suite("Local services")
struct LocalServicesTests {
    private let storage = TemporaryDatabase(owner: "UserProfile", migrations: UserProfileModule.migrations)
    private let clock = FixedClock()

    @Test(
        "A stored profile is read back unchanged",
        arguments: [
            Profile.ada, Profile(firstName: "用户", lastName: "👩‍👩‍👧‍👦", age: 0, bio: "one\ntwo"),
            MockProfileData.edge["mock-edge-3"] ?? Profile(),
        ])
    func roundTrip(_ profile: Profile) async throws {
        let service = LocalUserProfileService(database: storage.database, clock: clock)

        let receipt = try await service.submit(profile, ofAccount: "a")

        #expect(receipt == .accepted(1))
        #expect(try await service.profile(ofAccount: "a")?.profile == profile)
    }

    @Test("Each account has its own profile; a later submission replaces it")
    func accounts() async throws {
        let service = LocalUserProfileService(database: storage.database, clock: clock)
        let other = Profile(firstName: "Grace", lastName: "Hopper", age: 85, bio: nil)

        _ = try await service.submit(.ada, ofAccount: "a")
        _ = try await service.submit(.ada, ofAccount: "b")
        _ = try await service.submit(other, ofAccount: "b")

        #expect(try await service.profile(ofAccount: "a")?.profile == .ada)
        #expect(try await service.profile(ofAccount: "b")?.profile == other)
        #expect(try await service.profile(ofAccount: "c") == nil)
        #expect(try await storage.count("profiles") == 2)
    }

    @Test("Notifications are listed by account, newest first")
    func notifications() async throws {
        let service = LocalNotificationService(database: storage.database, clock: clock)

        try await service.send(.profileUpdated, toAccount: "a")
        clock.advance(seconds: 1)
        try await service.send(.profileUpdated, toAccount: "b")
        try await service.send(.profileUpdated, toAccount: "a")

        #expect(try await service.notifications(ofAccount: "a", limit: 10).map(\.id) == [3, 1])
        #expect(try await service.notifications(ofAccount: "a", limit: 1).map(\.id) == [3])
        #expect(try await service.notifications(ofAccount: "b", limit: 10).map(\.createdAt) == [clock.now()])
        #expect(try await service.notifications(ofAccount: "c", limit: 10).isEmpty)
    }

    @Test("Notifications of an unknown kind are not listed")
    func unknownKind() async throws {
        let service = LocalNotificationService(database: storage.database, clock: clock)
        try await storage.database.write { connection in
            _ = try connection.execute(
                ProfileQueries.insertNotification, [.text("a"), .text("birthday"), .integer(0)])
        }

        #expect(try await service.notifications(ofAccount: "a", limit: 10).isEmpty)
    }

    @Test("A session is authenticated until its expiry time")
    func authentication() async throws {
        let service = LocalAuthenticationService(clock: clock)
        let credential = SessionCredential(token: "t", expiresAt: clock.now().adding(seconds: 10))

        #expect(try await !service.isAuthenticated(nil))
        #expect(try await service.isAuthenticated(credential))
        clock.advance(seconds: 9)
        #expect(try await service.isAuthenticated(credential))
        clock.advance(seconds: 1)
        #expect(try await !service.isAuthenticated(credential))
    }
}
