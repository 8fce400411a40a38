import AtriumKit
import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable import Session

/// The implementations of the session service.
enum SessionImplementation: CaseIterable, Sendable {
    case mock, local, postgresql, live
}

/// What every implementation promises; live is called over HTTP.
@Suite("Session service contract", .timeLimit(.minutes(5)))
struct SessionServiceContractTests {
    /// The accounts of one implementation, and devices that use them.
    private final class Accounts {
        private let make: () throws -> any SessionService
        private let kept: TemporaryDatabase?

        init(_ implementation: SessionImplementation) throws {
            switch implementation {
            case .mock:
                let service = MockSessionService(.test(), clock: SystemTime())
                (make, kept) = ({ service }, nil)
            case .local:
                let storage = TemporaryDatabase(owner: "Session", migrations: LocalSessionService.migrations)
                let service = LocalSessionService(
                    database: storage.database, clock: SystemTime(), hasher: .minimal)
                (make, kept) = ({ service }, storage)
            case .postgresql:
                let database = try PostgreSQLEngine().database(
                    of: unique("Session"), migrations: LocalSessionService.migrations,
                    at: try PostgreSQLServer.shared().url)
                let service = LocalSessionService(database: database, clock: SystemTime(), hasher: .minimal)
                (make, kept) = ({ service }, nil)
            case .live:
                let server = try LiveAPI.shared()
                make = { LiveSessionService(api: try LiveAPI.device(of: server), clock: SystemTime()) }
                kept = nil
            }
        }

        /// Creates a service, as on one device.
        func device() throws -> any SessionService { try make() }
    }

    private let ada = Credentials(email: unique("ada") + "@example.com", password: "difference engine")
    private let unknown = SessionCredential(
        token: "unknown", expiresAt: SystemTime().now().adding(seconds: 60))

    @Test(
        "Signing up signs in, and a later sign-in returns the same user",
        arguments: SessionImplementation.allCases)
    func life(_ implementation: SessionImplementation) async throws {
        let service = try Accounts(implementation).device()

        let first = try await service.signUp(ada)
        #expect(try await service.isValid(first.credential))
        let second = try await service.signIn(
            Credentials(email: ada.email.uppercased(), password: ada.password))

        #expect(first.user == SessionUser(id: first.user.id, email: ada.email))
        #expect(second.user == first.user)
        #expect(second.credential.token != first.credential.token)
        #expect(second.credential.expiresAt > SystemTime().now().adding(seconds: 86_400))
        #expect(try await service.isValid(second.credential))
    }

    @Test("A host whose clock is ahead ends nobody's session, and has one itself")
    func clockAhead() async throws {
        let database = try PostgreSQLEngine().database(
            of: unique("Session"), migrations: LocalSessionService.migrations,
            at: try PostgreSQLServer.shared().url)
        let ahead = FixedClock(SystemTime().now().adding(seconds: 40 * 86_400))
        let right = LocalSessionService(database: database, clock: SystemTime(), hasher: .minimal)
        let wrong = LocalSessionService(database: database, clock: ahead, hasher: .minimal)

        let first = try await right.signUp(ada)
        let second = try await wrong.signIn(ada)

        #expect(try await right.isValid(first.credential))
        #expect(try await wrong.isValid(second.credential))
        #expect(!second.credential.isExpired(at: ahead.now()))
        #expect(try await right.sessions(first.credential).count == 2)
    }

    @Test("An email has one account, in any case", arguments: SessionImplementation.allCases)
    func emailTaken(_ implementation: SessionImplementation) async throws {
        let service = try Accounts(implementation).device()
        _ = try await service.signUp(ada)

        let email = ada.email.uppercased()
        await #expect(throws: ServiceError.emailTaken(email)) {
            try await service.signUp(Credentials(email: email, password: "another password"))
        }

        await #expect(throws: Never.self) { try await service.signIn(ada) }
    }

    @Test("An email has one account, composed or decomposed", arguments: SessionImplementation.allCases)
    func forms(_ implementation: SessionImplementation) async throws {
        let service = try Accounts(implementation).device()
        let name = unique("a")
        let emails = ["\(name)\u{E9}@example.com", "\(name)e\u{301}@example.com"]
        let password = "cre\u{301}me bru\u{302}le\u{301}e"
        let user = try await service.signUp(Credentials(email: emails[1], password: password)).user

        for email in emails {
            #expect(try await service.signIn(Credentials(email: email, password: password)).user == user)
            await #expect(throws: ServiceError.self) {
                try await service.signUp(Credentials(email: email, password: password))
            }
        }
    }

    @Test(
        "A wrong password and an unknown email give the same error", arguments: SessionImplementation.allCases
    )
    func wrong(_ implementation: SessionImplementation) async throws {
        let service = try Accounts(implementation).device()
        _ = try await service.signUp(ada)

        for credentials in [
            Credentials(email: ada.email, password: "wrong password"),
            Credentials(email: unique("nobody") + "@example.com", password: ada.password),
        ] {
            await #expect(throws: ServiceError.invalidCredentials) { try await service.signIn(credentials) }
        }
    }

    @Test("Signing out ends one session and can be repeated", arguments: SessionImplementation.allCases)
    func signOut(_ implementation: SessionImplementation) async throws {
        let accounts = try Accounts(implementation)
        let (desk, phone) = (try accounts.device(), try accounts.device())
        let first = try await desk.signUp(ada).credential
        let second = try await phone.signIn(ada).credential

        try await desk.signOut(first)
        try await desk.signOut(first)

        #expect(try await !desk.isValid(first))
        #expect(try await phone.isValid(second))
    }

    @Test(
        "A session that was replaced by a sign-in can still be signed out",
        arguments: SessionImplementation.allCases)
    func replaced(_ implementation: SessionImplementation) async throws {
        let accounts = try Accounts(implementation)
        let (desk, phone) = (try accounts.device(), try accounts.device())
        let former = try await desk.signUp(ada).credential
        let present = try await desk.signIn(ada).credential
        let other = try await phone.signIn(ada).credential
        #expect(try await phone.sessions(other).count == 3)

        try await desk.signOut(former)

        #expect(try await desk.isValid(present))
        #expect(try await phone.sessions(other).count == 2)
    }

    @Test(
        "Sessions are listed newest first, and the current one is marked",
        arguments: SessionImplementation.allCases)
    func sessions(_ implementation: SessionImplementation) async throws {
        let accounts = try Accounts(implementation)
        let (desk, phone) = (try accounts.device(), try accounts.device())
        let first = try await desk.signUp(ada).credential
        let second = try await phone.signIn(ada).credential

        let atDesk = try await desk.sessions(first)
        let onPhone = try await phone.sessions(second)

        #expect(atDesk.map(\.isCurrent) == [false, true])
        #expect(onPhone.map(\.isCurrent) == [true, false])
        #expect(atDesk.map(\.id) == onPhone.map(\.id))
        #expect(Set(atDesk.map(\.id)).count == 2)
        #expect(atDesk[0].createdAt >= atDesk[1].createdAt)
        #expect(atDesk.allSatisfy { $0.lastUsedAt >= $0.createdAt })
        #expect(!"\(atDesk)".contains(second.token) || implementation == .mock)
    }

    @Test(
        "Signing out everywhere ends all sessions of the user and of no other user",
        arguments: SessionImplementation.allCases)
    func everywhere(_ implementation: SessionImplementation) async throws {
        let accounts = try Accounts(implementation)
        let (desk, phone, other) = (try accounts.device(), try accounts.device(), try accounts.device())
        let first = try await desk.signUp(ada).credential
        let second = try await phone.signIn(ada).credential
        let bob = try await other.signUp(
            Credentials(email: unique("bob") + "@example.com", password: "12345678")
        ).credential

        try await desk.signOutEverywhere(first)

        #expect(try await !desk.isValid(first))
        #expect(try await !phone.isValid(second))
        #expect(try await other.isValid(bob))
        await #expect(throws: ServiceError.notAuthenticated) { try await phone.sessions(second) }
        await #expect(throws: ServiceError.notAuthenticated) { try await phone.signOutEverywhere(second) }
    }

    @Test(
        "An unknown session is invalid, and signing it out succeeds",
        arguments: SessionImplementation.allCases)
    func unknown(_ implementation: SessionImplementation) async throws {
        let service = try Accounts(implementation).device()
        let credential = try await service.signUp(ada).credential

        #expect(try await !service.isValid(unknown))
        try await service.signOut(unknown)
        await #expect(throws: ServiceError.notAuthenticated) { try await service.sessions(unknown) }
        await #expect(throws: ServiceError.notAuthenticated) { try await service.signOutEverywhere(unknown) }

        #expect(try await service.isValid(credential))
    }
}
