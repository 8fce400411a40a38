import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import Session

@MainActor
@Suite("Local session service")
struct LocalSessionServiceTests {
    private let storage = TemporaryDatabase(owner: "Session", migrations: SessionModule.migrations)
    private let clock = FixedClock()
    private let ada = Credentials(email: "Ada@Example.com", password: "difference engine")

    private var service: LocalSessionService {
        LocalSessionService(database: storage.database, clock: clock, hasher: .minimal)
    }

    @Test("Signing up creates the account and a session of 30 days")
    func signUp() async throws {
        let grant = try await service.signUp(ada)

        #expect(grant.user.email == "Ada@Example.com")
        #expect(grant.user.displayName == nil)
        #expect(grant.credential.expiresAt == clock.now().adding(seconds: 30 * 86_400))
        #expect(try await service.isValid(grant.credential))
        #expect(try await storage.count("accounts") == 1)
        #expect(try await storage.count("sessions") == 1)
    }

    @Test("Neither the password nor the token can be read from the database")
    func secrets() async throws {
        let grant = try await service.signUp(ada)

        let stored = try await storage.dump("accounts") + storage.dump("sessions")

        #expect(!stored.joined().contains("difference engine"))
        #expect(!stored.joined().contains(grant.credential.token))
        #expect(stored.contains { $0.contains("$argon2id$") })
        let digest = SessionToken(text: grant.credential.token).digest
        #expect(stored.contains { $0.contains("\(DatabaseValue.blob(digest))") })
    }

    @Test(
        "Signing in ignores the case of the email",
        arguments: ["ada@example.com", "ADA@EXAMPLE.COM"])
    func signIn(_ email: String) async throws {
        let account = try await service.signUp(ada).user

        let grant = try await service.signIn(Credentials(email: email, password: ada.password))

        #expect(grant.user == account)
        #expect(try await storage.count("sessions") == 2)
    }

    @Test("A successful sign-in rehashes a password with an outdated cost")
    func rehash() async throws {
        _ = try await service.signUp(ada)
        let before = try await storage.dump("accounts")
        let current = LocalSessionService(database: storage.database, clock: clock, hasher: .interactive)

        await #expect(throws: ServiceError.invalidCredentials) {
            try await current.signIn(Credentials(email: ada.email, password: "wrong password"))
        }
        #expect(try await storage.dump("accounts") == before)
        _ = try await current.signIn(ada)

        let after = try await storage.dump("accounts")
        #expect(after != before && after.joined().contains("$argon2id$v=19$m=65536,t=2,p=1$"))
        _ = try await current.signIn(ada)
        #expect(try await storage.dump("accounts") == after)
    }

    @Test("An email can't be registered again in another case; its account stays unchanged")
    func emailTaken() async throws {
        _ = try await service.signUp(ada)
        let before = try await storage.dump("accounts") + storage.dump("sessions")

        await #expect(throws: ServiceError.emailTaken("ada@example.com")) {
            try await service.signUp(Credentials(email: "ada@example.com", password: "another password"))
        }
        #expect(try await storage.dump("accounts") + storage.dump("sessions") == before)
        _ = try await service.signIn(ada)
    }

    @Test("An unknown email and a wrong password give the same error")
    func invalidCredentials() async throws {
        _ = try await service.signUp(ada)

        for credentials in [
            Credentials(email: "bob@example.com", password: ada.password),
            Credentials(email: ada.email, password: "Difference engine"),
            Credentials(email: "", password: ""),
        ] {
            await #expect(throws: ServiceError.invalidCredentials) { try await service.signIn(credentials) }
        }
        #expect(try await storage.count("sessions") == 1)
    }

    @Test("Signing out ends that session only")
    func signOut() async throws {
        let first = try await service.signUp(ada).credential
        let second = try await service.signIn(ada).credential

        try await service.signOut(first)
        try await service.signOut(first)

        #expect(try await !service.isValid(first))
        #expect(try await service.isValid(second))
        #expect(try await storage.count("sessions") == 1)
    }

    @Test("A session is valid until its expiry time")
    func expiry() async throws {
        let credential = try await service.signUp(ada).credential

        clock.advance(seconds: SessionGrant.lifetime - 1)
        #expect(try await service.isValid(credential))
        clock.advance(seconds: 1)
        #expect(try await !service.isValid(credential))
    }

    @Test("Signing in removes expired sessions")
    func pruning() async throws {
        _ = try await service.signUp(ada)
        clock.advance(seconds: SessionGrant.lifetime - 1)
        let second = try await service.signIn(ada).credential
        #expect(try await storage.count("sessions") == 2)

        clock.advance(seconds: 1)
        let third = try await service.signIn(ada).credential

        #expect(try await storage.count("sessions") == 2)
        #expect(try await service.isValid(second))
        #expect(try await service.isValid(third))
    }

    @Test("An unknown token is invalid")
    func foreignToken() async throws {
        let expiresAt = clock.now().adding(seconds: 60)

        for token in ["", "x", SessionToken.random().text] {
            #expect(try await !service.isValid(SessionCredential(token: token, expiresAt: expiresAt)))
        }
    }

    @Test("A credential with a forged expiry is invalid")
    func forgedExpiry() async throws {
        let credential = try await service.signUp(ada).credential
        clock.advance(seconds: SessionGrant.lifetime)

        let forged = SessionCredential(token: credential.token, expiresAt: clock.now().adding(seconds: 60))

        #expect(try await !service.isValid(forged))
    }

    @Test("Of concurrent sign-ups with one email, one succeeds")
    func concurrentSignUps() async throws {
        let (service, ada) = (service, ada)

        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 { group.addTask { (try? await service.signUp(ada)) != nil } }
            var outcomes: [Bool] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }

        #expect(outcomes.count { $0 } == 1)
        #expect(try await storage.count("accounts") == 1)
        #expect(try await storage.count("sessions") == 1)
    }

    @Test("The last use of a session is updated at most once per hour")
    func lastUsed() async throws {
        let credential = try await service.signUp(ada).credential
        let start = clock.now()

        clock.advance(seconds: LocalSessionService.useGrain - 1)
        _ = try await service.isValid(credential)
        #expect(try await service.sessions(credential).map(\.lastUsedAt) == [start])

        clock.advance(seconds: 1)
        _ = try await service.isValid(credential)
        #expect(try await service.sessions(credential).map(\.lastUsedAt) == [clock.now()])
    }
}
