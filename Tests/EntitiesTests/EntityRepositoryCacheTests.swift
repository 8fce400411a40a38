import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity repository: cache", .timeLimit(.minutes(5)))
struct EntityRepositoryCacheTests {
    private let clock = FixedClock()
    private let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
    private let session = TestSession()
    private let repository: EntityRepository

    init() {
        repository = EntityRepository(service, session: session, clock: clock)
    }

    @Test(
        "A page is cached for 300 seconds, then fetched again",
        arguments: [(0, 1), (299, 1), (300, 2), (301, 2)])
    func lifetime(_ seconds: Int, _ calls: Int) async throws {
        _ = try await repository.shown(EntityQuery())

        clock.advance(seconds: seconds)
        _ = try await repository.shown(EntityQuery())

        #expect(service.calls.count == calls)
    }

    @Test("Cached values are returned; another query and a forced refresh call the service")
    func aside() async throws {
        for _ in 1...3 { _ = try await repository.shown(EntityQuery()) }
        for _ in 1...3 { _ = try await repository.shown(1) }
        #expect(service.calls == ["page", "entity"])

        _ = try await repository.shown(EntityQuery(page: 2))
        _ = try await repository.shown(EntityQuery(), reloads: true)
        _ = try await repository.shown(1, reloads: true)

        #expect(service.calls == ["page", "entity", "page", "page", "entity"])
        let pages = try #require(repository.caches.first { $0.name == "pages" })
        #expect(pages.kept == 2)
        #expect(pages.statistics.hits == 2)
        #expect(pages.statistics.misses == 3)
    }

    @Test("A successful change clears the cache; a failed one does not")
    func invalidation() async throws {
        _ = try await repository.shown(EntityQuery())
        service.fail(with: .unavailable)
        await #expect(throws: ServiceError.unavailable) {
            try await repository.create(EntityDraft(name: "x"))
        }
        await #expect(throws: ServiceError.unavailable) { try await repository.delete(1) }
        #expect(try await repository.shown(EntityQuery()).value.total == 46)
        service.fail(with: nil)

        _ = try await repository.create(EntityDraft(name: "x"))

        #expect(try await repository.shown(EntityQuery()).value.total == 47)
        #expect(service.calls == ["page", "create", "delete", "create", "page"])
    }

    @Test("A change whose answer was lost clears the cache, because it may have been made")
    func lostAnswer() async throws {
        _ = try await repository.shown(EntityQuery())
        service.fail(
            with: .unavailable(
                Entity.noun, APIError.requestFailed(.connectionLost, "The connection was lost.")))
        let error = await #expect(throws: ServiceError.self) {
            try await repository.create(EntityDraft(name: "x"))
        }
        #expect(error?.code == .unknownOutcome)
        service.fail(with: nil)

        _ = try await repository.shown(EntityQuery())

        #expect(service.calls == ["page", "create", "page"])
    }

    @Test(
        "Signing in or out clears the cache; a new display name does not"
    )
    func session() async throws {
        let credential = SessionCredential(token: "t", expiresAt: clock.now().adding(seconds: 60))
        var ada = SessionUser(id: "1", email: "ada@example.com")
        _ = try await repository.shown(EntityQuery())
        session.writer.signIn(ada, credential: credential)
        _ = try await repository.shown(EntityQuery())
        #expect(service.calls.count == 2)

        ada.displayName = "Ada"
        session.writer.update(ada)
        _ = try await repository.shown(EntityQuery())
        #expect(service.calls.count == 2)
        session.writer.signOut()
        _ = try await repository.shown(EntityQuery())

        #expect(service.calls.count == 3)
    }

    @Test("1,000 concurrent calls lose no change and share their loads")
    func concurrency() async throws {
        let repository = repository
        await withTaskGroup { group in
            for number in 1...1_000 {
                group.addTask {
                    if number.isMultiple(of: 100) {
                        _ = try? await repository.create(EntityDraft(name: "entity \(number)"))
                    } else {
                        _ = try? await repository.shown(EntityQuery())
                    }
                }
            }
        }

        #expect(try await repository.shown(EntityQuery()).value.total == 56)
        #expect(service.calls.filter { $0 == "create" }.count == 10)
        #expect(service.calls.filter { $0 == "page" }.count <= 12)
    }

    // MARK: - Concurrent loads

    @Test("Fifty concurrent misses of a page load it once")
    func singleFlight() async throws {
        let held = HeldRepository()

        for _ in 1...50 { try await held.read() }
        #expect(held.interleaver.waiting == ["page 1"])
        try await held.interleaver.finish()

        #expect(held.totals == Array(repeating: 3, count: 50))
        #expect(held.service.calls == ["page 1"])
    }

    @Test("A page that is loaded during a change is returned, but neither cached nor saved")
    func race() async throws {
        let held = HeldRepository()
        try await held.read()
        try await held.interleaver.open("page 1")

        held.extra = 1
        try await held.interleaver.begin {
            _ = try? await held.repository.delete(1)
            held.extra = 0
        }
        try await held.interleaver.open("delete 1")
        try await held.interleaver.open("delete 1 answered")
        try await held.interleaver.finish()
        #expect(held.totals == [3])
        #expect(await RecordOfflineStore<Entity>(held.offline.store).page(EntityQuery(), account: nil) == nil)
        try await held.read()
        try await held.interleaver.finish()

        #expect(held.totals == [3, 2])
        #expect(
            await RecordOfflineStore<Entity>(held.offline.store).page(EntityQuery(), account: nil)?.value
                .total == 2)
        #expect(held.service.calls == ["page 1", "delete 1", "page 1"])
    }
}

/// A repository over a gated service; `read` requests its first page.
@MainActor
private final class HeldRepository {
    let interleaver: Interleaver
    let service: GatedEntityService
    let repository: EntityRepository
    let offline = TestOfflineStore()
    private(set) var totals: [Int] = []
    private var reads = 0
    var extra = 0

    init() {
        let owner = Owner()
        interleaver = Interleaver(seed: 0) { owner.held?.underWay ?? 0 }
        service = GatedEntityService((1...3).map { .sample($0, "entity \($0)") }, interleaver)
        repository = EntityRepository(service, offline: offline.store)
        owner.held = self
    }

    private final class Owner {
        weak var held: HeldRepository?
    }

    /// All reads share one request, and so one gate.
    private var underWay: Int { min(1, reads) + extra }

    func read() async throws {
        reads += 1
        try await interleaver.begin { [self] in
            if let page = try? await repository.shown(EntityQuery()) { totals.append(page.value.total) }
            reads -= 1
        }
    }
}
