@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@Suite("Mock session service")
struct MockSessionServiceTests {
    private let clock = FixedClock()

    @Test(
        "The documented accounts can sign in",
        arguments: [
            ("ada@example.com", "difference engine"), ("grace@example.com", "nanoseconds of wire"),
            ("MOHAMED@example.com", "a quiet afternoon"),
        ])
    func usualAccounts(_ email: String, _ password: String) async throws {
        let service = MockSessionService(.test(), clock: clock)

        let grant = try await service.signIn(Credentials(email: email, password: password))

        #expect(grant.user.email == email.lowercased())
        #expect(try await service.isValid(grant.credential))
    }

    @Test("The accounts of scenario edge are valid and can sign in")
    func edgeAccounts() async throws {
        let service = MockSessionService(.test(.edge), clock: clock)

        for account in MockSessionService.edgeAccounts {
            let credentials = Credentials(email: account.user.email, password: account.password)
            #expect(credentials.validate().isEmpty)
            #expect(try await service.signIn(credentials).user == account.user)
        }
        await #expect(throws: ServiceError.invalidCredentials) {
            try await service.signIn(Credentials(email: "ada@example.com", password: "difference engine"))
        }
    }

    @Test("Accounts and sessions behave as in the local service")
    func life() async throws {
        let service = MockSessionService(.test(), clock: clock)
        let bob = Credentials(email: "bob@example.com", password: "12345678")

        let first = try await service.signUp(bob)
        await #expect(throws: ServiceError.emailTaken("BOB@example.com")) {
            try await service.signUp(Credentials(email: "BOB@example.com", password: "12345678"))
        }
        await #expect(throws: ServiceError.invalidCredentials) {
            try await service.signIn(Credentials(email: bob.email, password: "wrong"))
        }
        let second = try await service.signIn(bob)
        try await service.signOut(first.credential)

        #expect(first.user == second.user)
        #expect(try await !service.isValid(first.credential))
        #expect(try await service.isValid(second.credential))
        clock.advance(seconds: SessionGrant.lifetime)
        #expect(try await !service.isValid(second.credential))
    }

    @Test("In scenario error, every call throws the service's error")
    func error() async {
        let service = MockSessionService(.test(.error), clock: clock)
        let credentials = Credentials(email: "ada@example.com", password: "difference engine")

        await #expect(throws: ServiceError.unavailable) { try await service.signUp(credentials) }
        await #expect(throws: ServiceError.unavailable) { try await service.signIn(credentials) }
        await #expect(throws: ServiceError.unavailable) {
            try await service.signOut(SessionGrant.ada.credential)
        }
        await #expect(throws: ServiceError.unavailable) {
            try await service.isValid(SessionGrant.ada.credential)
        }
    }

    @Test("Cancelling a call ends the delay of scenario slow")
    func slow() async {
        let service = MockSessionService(.test(.slow, delay: .seconds(3_600)), clock: clock)
        let task = Task {
            try await service.signIn(Credentials(email: "ada@example.com", password: "difference engine"))
        }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite("Mock session service: control by tests")
struct MockSessionDirectionTests {
    private let clock = FixedClock()
    private let ada = Credentials(email: "ada@example.com", password: "difference engine")

    @Test("A new scenario applies from the next call")
    func switching() async throws {
        let behavior = MockBehavior.test()
        let service = MockSessionService(behavior, clock: clock)
        let grant = try await service.signIn(ada)

        behavior.scenario = MockScenario(.edge)
        await #expect(throws: ServiceError.invalidCredentials) { try await service.signIn(ada) }
        behavior.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.unavailable) { try await service.isValid(grant.credential) }
        behavior.scenario = MockScenario(.success)

        #expect(try await service.isValid(grant.credential))
    }

    @Test("Calls are recorded without passwords and tokens")
    func calls() async throws {
        let behavior = MockBehavior.test()
        let service = MockSessionService(behavior, clock: clock)

        let grant = try await service.signIn(ada)
        _ = try? await service.signUp(ada)
        _ = try await service.isValid(grant.credential)
        try await service.signOut(grant.credential)

        #expect(behavior.calls.map(\.name) == ["signIn", "signUp", "isValid", "signOut"])
        #expect(behavior.calls[0].arguments == ["email": "ada@example.com"])
        #expect(!"\(behavior.calls)".contains("difference engine"))
        #expect(!"\(behavior.calls)".contains("mock-token"))
    }
}
