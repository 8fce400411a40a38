@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import Session

@MainActor
@Suite("Session module", .serialized, .sharedSession)
struct SessionModuleTests {
    private let clock = FixedClock()
    private let log = RecordingLog()

    /// Activates the module, runs `body`, and ends the module's tasks.
    private func activate(
        _ environment: Environment, _ database: any Database, api: any APIClient = NoAPIClient(),
        _ body: () async -> Void = {}
    ) async throws {
        let scope = ModuleScope(
            name: "Session",
            infrastructure: .init(
                database: database, clock: clock, logger: log.logger, analytics: RecordingAnalytics(),
                configuration: Configuration([:]), api: api))
        let registry = ModuleRegistry(scope: scope)
        let module = SessionModule()
        try module.register(in: registry)
        #expect(registry.findings.isEmpty)
        #expect(
            registry.screens.map(\.pattern.description) == ["session", "session/sign-in", "session/sign-up"])
        let container = Container(environment: environment)
        try container.add(registry)
        try await module.activate(ActivationContext(container, for: scope))
        await body()
        scope.tasks.cancel()
        await scope.tasks.finish()
        container.close()
    }

    /// Restores a session as the host does at its start.
    private func restore(_ grant: SessionGrant) {
        SessionWriter(.shared).signIn(grant.user, credential: grant.credential)
    }

    @Test("Activation for a guest does not read the database", arguments: [Environment.local, .mock])
    func guest(_ environment: Environment) async throws {
        let database = UnusedDatabase()

        try await activate(environment, database)

        #expect(SessionManager.shared.user == nil)
        #expect(log.messages.isEmpty)
    }

    @Test(
        "An expired stored session ends without the database",
        arguments: [Environment.local, .mock])
    func expiredSession(_ environment: Environment) async throws {
        restore(.ada)
        defer { SessionManager.shared.restore(nil) }
        clock.advance(seconds: SessionGrant.lifetime)

        try await activate(environment, UnusedDatabase())

        #expect(SessionManager.shared.user == nil)
        #expect(SessionManager.shared.stored == nil)
        #expect(log.messages.isEmpty)
    }

    @Test("A stored session that is not in the database ends")
    func unknownSession() async throws {
        restore(.ada)
        defer { SessionManager.shared.restore(nil) }

        let storage = TemporaryDatabase(owner: "Session", migrations: SessionModule.migrations)
        try await activate(.local, storage.database)

        #expect(SessionManager.shared.user == nil)
    }

    @Test("If the database can't be read, the stored session is kept with a warning")
    func unreadable() async throws {
        restore(.ada)
        defer { SessionManager.shared.restore(nil) }

        try await activate(.local, BrokenDatabase())

        #expect(SessionManager.shared.user == SessionGrant.ada.user)
        #expect(SessionManager.shared.stored?.credential == SessionGrant.ada.credential)
        #expect(
            log.messages == [
                """
                warning: The session of the last run could not be checked and is kept: \
                The disk is on fire.
                """
            ])
    }

    @Test("Tokens without a stored session are removed without a request")
    func leftoverTokens() async throws {
        let api = AnsweringAPIClient(tokens: .test("a")) { _ in throw APIError.offline }

        try await activate(.live, UnusedDatabase(), api: api)

        #expect(await api.calls == ["use none"])
    }

    @Test("A stored session whose tokens the server refuses ends, and the tokens are removed")
    func refusedTokens() async throws {
        let api = AnsweringAPIClient(tokens: .test("new-token")) { _ in
            throw APIError.problem(401, "unauthenticated")
        }
        restore(.ada)
        defer { SessionManager.shared.restore(nil) }

        try await activate(.live, UnusedDatabase(), api: api)

        #expect(SessionManager.shared.user == nil)
        #expect(await api.calls == ["GET v1/users/me", "use none"])
    }

    @Test("The session ends when its tokens end while the module is active")
    func followed() async throws {
        let api = AnsweringAPIClient(tokens: .test("new-token")) { _ in
            #"{"id":"a","email":"ada@example.com"}"#
        }
        restore(.ada)
        defer { SessionManager.shared.restore(nil) }

        try await activate(.live, UnusedDatabase(), api: api) {
            await api.tell(.ended(id: "new-token"))
            await eventually("the session has ended") { SessionManager.shared.user == nil }
        }

        #expect(SessionManager.shared.user == nil)
    }

    @Test("A stored session that is in the database is kept")
    func knownSession() async throws {
        let storage = TemporaryDatabase(owner: "Session", migrations: SessionModule.migrations)
        let service = LocalSessionService(database: storage.database, clock: clock, hasher: .minimal)
        let grant = try await service.signUp(Credentials(email: "ada@example.com", password: "12345678"))
        restore(grant)
        defer { SessionManager.shared.restore(nil) }

        try await activate(.local, storage.database)

        #expect(SessionManager.shared.user == grant.user)
        #expect(log.messages.isEmpty)
    }
}

/// A database whose reads and writes fail.
private struct BrokenDatabase: Database {
    private let error = DatabaseError(code: .databaseUnwritable, message: "The disk is on fire.")

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw error
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw error
    }
}
