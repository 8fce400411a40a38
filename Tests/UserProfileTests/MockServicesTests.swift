import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@Suite("Mock services")
struct MockServicesTests {
    private let clock = FixedClock()

    @Test("The profiles of scenario success break no rule")
    func usualProfiles() {
        for profile in MockProfileData.usual.values { #expect(profile.validate().isEmpty) }
    }

    @Test("The profiles of scenario edge are on the edge of the rules, not beyond")
    func edgeProfiles() async throws {
        let service = MockUserProfileService(scenario: MockScenario(.edge))

        for (account, profile) in MockProfileData.edge {
            #expect(profile.validate().isEmpty)
            #expect(try await service.profile(ofAccount: account) == profile)
        }
        #expect(try await service.profile(ofAccount: "mock-ada") == nil)
    }

    @Test("Scenario error fails with each service's own error")
    func errors() async {
        let scenario = MockScenario(.error)
        let profiles = MockUserProfileService(scenario: scenario)
        let authentication = MockAuthenticationService(scenario: scenario, clock: clock)
        let notifications = MockNotificationService(scenario: scenario, clock: clock)

        await #expect(throws: ServiceError.profiles) { try await profiles.profile(ofAccount: "mock-ada") }
        await #expect(throws: ServiceError.profiles) {
            try await profiles.submit(.ada, ofAccount: "mock-ada")
        }
        await #expect(throws: ServiceError.authentication) { try await authentication.isAuthenticated(nil) }
        await #expect(throws: ServiceError.notifications) {
            try await notifications.send(.profileUpdated, toAccount: "mock-ada")
        }
        await #expect(throws: ServiceError.notifications) {
            try await notifications.notifications(ofAccount: "mock-ada", limit: 1)
        }
    }

    @Test("Cancelling ends the wait of scenario slow")
    func slow() async {
        let service = MockUserProfileService(scenario: MockScenario(.slow, delay: .seconds(3_600)))
        let task = Task { try await service.profile(ofAccount: "mock-ada") }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
