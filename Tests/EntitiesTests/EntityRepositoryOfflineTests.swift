import AtriumTesting
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity repository: unreachable service")
struct EntityRepositoryOfflineTests {
    private let service = FailingEntityService(mockEntityService(clock: FixedClock()))
    private let clock = FixedClock()
    private let offline: TestOfflineStore
    private let analytics = RecordingAnalytics()
    private let session = TestSession()
    private let repository: EntityRepository

    init() {
        offline = TestOfflineStore(clock: clock)
        repository = EntityRepository(
            service, offline: offline.store, session: session, analytics: analytics, clock: clock)
    }

    private nonisolated static let unreachable = APIError.requestFailed(
        .serverUnreachable, "The server can't be reached.")
    private nonisolated static let unavailable = ServiceError.unavailable(Entity.noun, unreachable)

    /// The entity in the offline store, as a guest sees it.
    private func saved(_ id: Int) async -> Entity? {
        await RecordOfflineStore<Entity>(offline.store).record(id, account: nil)?.value
    }

    @Test(
        "A read returns the saved value with the time it was saved",
        arguments: [unreachable as any Error & Sendable, unavailable])
    func stale(_ error: any Error & Sendable) async throws {
        let page = try await repository.shown(EntityQuery())
        let entity = try await repository.shown(1)
        #expect(page.asOf == nil && entity.asOf == nil)
        clock.advance(seconds: 600)
        service.fail(with: error)

        let then = clock.now().adding(seconds: -600)
        #expect(try await repository.shown(EntityQuery()) == Stale(page.value, asOf: then))
        #expect(try await repository.shown(1) == Stale(entity.value, asOf: then))
        service.fail(with: nil)

        // The saved value is not cached.
        #expect(try await repository.shown(EntityQuery()).asOf == nil)
    }

    @Test("An account never gets values that were saved for another account")
    func accounts() async throws {
        let credential = SessionCredential(token: "t", expiresAt: clock.now().adding(seconds: 86_400))
        let ada = SessionUser(id: "ada", email: "ada@example.com")
        session.writer.signIn(ada, credential: credential)
        let page = try await repository.shown(EntityQuery())
        _ = try await repository.create(EntityDraft(name: "Ada's"))
        service.fail(with: Self.unreachable)

        session.writer.signIn(SessionUser(id: "grace", email: "grace@example.com"), credential: credential)
        await #expect(throws: Self.unavailable) { try await repository.shown(EntityQuery()) }
        session.writer.signOut()
        await #expect(throws: Self.unavailable) { try await repository.shown(EntityQuery()) }
        session.writer.signIn(ada, credential: credential)

        #expect(try await repository.shown(EntityQuery()) == Stale(page.value, asOf: clock.now()))
        #expect(await RecordOfflineStore<Entity>(offline.store).record(47, account: nil) == nil)
        #expect(
            await RecordOfflineStore<Entity>(offline.store).record(47, account: "ada")?.value.name == "Ada's")
    }

    @Test("Without a saved value, the error is thrown with its cause")
    func noCopy() async throws {
        service.fail(with: Self.unreachable)

        let error = await #expect(throws: ServiceError.self) { try await repository.shown(EntityQuery()) }

        #expect(error?.code == "serviceUnavailable")
        #expect((error?.cause as? APIError)?.code == .serverUnreachable)
        await #expect(throws: Self.unavailable) { try await repository.shown(1) }
        await #expect(throws: Self.unavailable) { try await repository.total() }
    }

    @Test("A failed change does not alter the saved value")
    func changes() async throws {
        _ = try await repository.shown(1)
        service.fail(with: Self.unreachable)

        await #expect(throws: Self.unavailable) { try await repository.create(EntityDraft(name: "x")) }
        await #expect(throws: Self.unavailable) {
            try await repository.update(1, EntityChanges(name: "x"))
        }
        await #expect(throws: Self.unavailable) { try await repository.delete(1) }

        #expect(await saved(1)?.name == "Blue lamp")
        #expect(analytics.events.isEmpty)
    }

    @Test("Other errors are not answered with a saved value")
    func otherFailures() async throws {
        _ = try await repository.shown(EntityQuery())
        clock.advance(seconds: 600)
        service.fail(
            with: APIError.serverError(code: 500, message: "The server failed.", status: 500))

        let error = await #expect(throws: ServiceError.self) { try await repository.shown(EntityQuery()) }

        #expect(error?.code == "fetchFailed")
        #expect(error?.message == "The entities could not be read: The server failed.")
        #expect((error?.cause as? APIError)?.status == 500)
    }

    @Test(
        "Each command has its own error, caused by the server's",
        arguments: [
            (RecordCommand.create, "createFailed", "The entity could not be created: Not now."),
            (.update, "updateFailed", "The entity could not be changed: Not now."),
            (.delete, "deleteFailed", "The entity could not be deleted: Not now."),
            (.importing, "importFailed", "The entities could not be imported: Not now."),
            (.exporting, "exportFailed", "The entities could not be exported: Not now."),
        ])
    func domainErrors(_ command: RecordCommand, _ code: String, _ message: String) async throws {
        service.fail(with: APIError.serverError(code: 409, message: "Not now.", status: 409))
        let file = try threeEntities()

        let error = await #expect(throws: ServiceError.self) {
            switch command {
            case .create: _ = try await repository.create(EntityDraft(name: "x"))
            case .update: _ = try await repository.update(1, EntityChanges(name: "x"))
            case .importing: _ = try await repository.importAll(from: file) { _ in }
            case .exporting:
                let target = EntityFile(path: TemporaryFolder().path + ".csv", format: .csv)
                _ = try await repository.exportAll(to: target) { _ in }
            default: _ = try await repository.delete(1)
            }
        }

        #expect(error?.code.rawValue == code)
        #expect(error?.message == message)
        #expect(error?.cause is APIError)
    }

    @Test(
        "A change without a valid answer has an unknown outcome and clears the cache",
        arguments: [ErrorCode.connectionLost, .timedOut, .invalidResponse, .answerTooLarge])
    func unknownOutcome(_ code: ErrorCode) async throws {
        let file = try threeEntities()
        let changes: [@MainActor () async throws -> Void] = [
            { [repository] in _ = try await repository.create(EntityDraft(name: "x")) },
            { [repository] in _ = try await repository.update(1, EntityChanges(name: "x")) },
            { [repository] in _ = try await repository.delete(1) },
            { [repository] in _ = try await repository.importAll(from: file) { _ in } },
        ]
        for change in changes {
            service.fail(with: nil)
            _ = try await repository.shown(EntityQuery())
            service.fail(with: APIError.requestFailed(code, "The server was not heard."))

            let error = await #expect(throws: ServiceError.self) { try await change() }

            #expect(error?.code == .unknownOutcome)
            #expect(
                error?.message == "It is not known whether the change was made: the server's answer was lost "
                    + "(The server was not heard.).")
            #expect(error?.hint == "entities list --refresh")
            #expect((error?.cause as? APIError)?.code == code)
            // The cache may be out of date, so the service is called.
            service.fail(with: APIError.serverError(code: 500, message: "Asked.", status: 500))
            let asked = await #expect(throws: ServiceError.self) { try await repository.shown(EntityQuery()) }
            #expect(asked?.code == RecordCommand.fetch.failureCode)
        }
        #expect(analytics.events.isEmpty)
    }

    @Test("A read without a valid answer is a failure, not an unknown outcome")
    func lostRead() async throws {
        service.fail(with: APIError.requestFailed(.invalidResponse, "It makes no sense."))

        let error = await #expect(throws: ServiceError.self) { try await repository.shown(1) }

        #expect(error?.code == "fetchFailed")
    }

    @Test("A change without a session suggests signing in")
    func notAuthenticated() async throws {
        service.fail(with: APIError.notAuthenticated("Nobody is signed in."))

        let error = await #expect(throws: APIError.self) {
            try await repository.create(EntityDraft(name: "x"))
        }

        #expect(error?.code == .notAuthenticated)
        #expect(error?.hint == "session sign-in --email EMAIL")
    }

    @Test("The offline store follows updates and deletions; a failure to save is only logged")
    func copy() async throws {
        _ = try await repository.update(1, EntityChanges(name: "Green lamp"))
        #expect(await saved(1)?.name == "Green lamp")
        _ = try await repository.delete(1)
        #expect(await saved(1) == nil)

        let log = RecordingLog()
        let broken = OfflineStore(
            database: NoDatabase(), server: "http://test", clock: clock, logger: log.logger)
        let unsaving = EntityRepository(service, offline: broken, clock: clock)
        #expect(try await unsaving.shown(2).value.id == 2)

        let warning = "warning: No offline copy could be saved: The entity service does not answer."
        #expect(Set(log.messages) == [warning])
    }

    @Test("An entity that no longer exists is removed from the offline store")
    func gone() async throws {
        _ = try await repository.shown(1)
        service.fail(with: ServiceError.notFound(1))

        await #expect(throws: ServiceError.notFound(1)) { try await repository.shown(1, reloads: true) }

        #expect(await saved(1) == nil)
    }
}
