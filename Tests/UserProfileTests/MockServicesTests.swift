@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@Suite("Mock services")
struct MockServicesTests {
    private let clock = FixedClock()

    @Test("The profiles of scenario success are valid")
    func usualProfiles() {
        for profile in MockProfileData.usual.values { #expect(profile.findings.isEmpty) }
    }

    @Test("The profiles of scenario edge are valid and can be read")
    func edgeProfiles() async throws {
        let service = MockUserProfileService(.test(.edge))

        for (account, profile) in MockProfileData.edge {
            #expect(profile.findings.isEmpty)
            #expect(try await service.profile(ofAccount: account)?.profile == profile)
        }
        #expect(try await service.profile(ofAccount: "mock-ada") == nil)
    }

    @Test("In scenario error, each service throws its own error")
    func errors() async {
        let behavior = MockBehavior.test(.error)
        let profiles = MockUserProfileService(behavior)
        let authentication = MockAuthenticationService(behavior: behavior, clock: clock)
        let notifications = MockNotificationService(behavior, clock: clock)

        await #expect(throws: ServiceError.profiles) { try await profiles.profile(ofAccount: "mock-ada") }
        await #expect(throws: ServiceError.profiles) {
            try await profiles.submit(.ada, ofAccount: "mock-ada", replacing: 1)
        }
        await #expect(throws: ServiceError.authentication) { try await authentication.isAuthenticated(nil) }
        await #expect(throws: ServiceError.notifications) {
            try await notifications.send(.profileUpdated, toAccount: "mock-ada")
        }
        await #expect(throws: ServiceError.notifications) {
            try await notifications.notifications(ofAccount: "mock-ada", limit: 1)
        }
    }

    @Test("Cancelling a call ends the delay of scenario slow")
    func slow() async {
        let service = MockUserProfileService(.test(.slow, delay: .seconds(3_600)))
        let task = Task { try await service.profile(ofAccount: "mock-ada") }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite("Mock services: control by tests")
struct MockDirectionTests {
    private let clock = FixedClock()

    @Test("A new scenario applies from the next call, and each scenario has its own data")
    func switching() async throws {
        let behavior = MockBehavior.test()
        let service = MockUserProfileService(behavior)
        _ = try await service.submit(.ada, ofAccount: "bob")

        behavior.scenario = MockScenario(.edge)
        #expect(try await service.profile(ofAccount: "bob") == nil)
        #expect(try await service.profile(ofAccount: "mock-edge-1") != nil)
        behavior.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.profiles) { try await service.profile(ofAccount: "bob") }
        behavior.scenario = MockScenario(.success)

        #expect(try await service.profile(ofAccount: "bob")?.profile == .ada)
    }

    @Test("Scenario slow waits for the configured delay")
    func slow() async throws {
        let slept = CallLog()
        let behavior = MockBehavior.test(.slow, delay: .milliseconds(500)) { slept.add("\($0)") }

        _ = try await MockUserProfileService(behavior).profile(ofAccount: "bob")

        #expect(slept.all == ["0.5 seconds"])
    }

    @Test("Calls are recorded with their arguments but without tokens")
    func calls() async throws {
        let behavior = MockBehavior.test()
        let credential = SessionCredential(token: "very secret", expiresAt: clock.now().adding(seconds: 9))

        _ = try await MockAuthenticationService(behavior: behavior, clock: clock).isAuthenticated(credential)
        try await MockNotificationService(behavior, clock: clock).send(.profileUpdated, toAccount: "a")
        let profiles = MockUserProfileService(behavior)
        _ = try await profiles.profile(ofAccount: "a")
        _ = try await profiles.submit(.ada, ofAccount: "a", replacing: .none)

        #expect(behavior.calls.map(\.name) == ["isAuthenticated", "send", "profile", "submit"])
        #expect(behavior.calls[1].arguments == ["kind": "profileUpdated", "account": "a"])
        #expect(!"\(behavior.calls)".contains("very secret"))
    }
}
