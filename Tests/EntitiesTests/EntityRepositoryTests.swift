import AtriumKit
import AtriumTesting
import Synchronization
import Testing

@testable import Entities

@MainActor
@Suite("Entity repository")
struct EntityRepositoryTests {
    private let analytics = RecordingAnalytics()
    private let service = CountingEntityService(MockEntityService(clock: FixedClock()))

    private var repository: EntityRepository { EntityRepository(entities: service, analytics: analytics) }

    @Test("What was done is reported, once and afterwards")
    func events() async throws {
        let entity = try await repository.create(EntityDraft(name: "x"))
        _ = try await repository.update(entity.id, EntityChanges(name: "y"))
        _ = try await repository.delete(entity.id)

        #expect(analytics.events.map(\.name) == ["entityCreated", "entityUpdated", "entityDeleted"])
    }

    @Test("What breaks a rule does not reach the service")
    func rules() async {
        await #expect(throws: ValidationError.self) { try await repository.page(EntityQuery(page: 0)) }
        await #expect(throws: ValidationError.self) { try await repository.create(EntityDraft(name: "")) }
        await #expect(throws: ValidationError.self) {
            try await repository.update(1, EntityChanges(name: ""))
        }
        await #expect(throws: EntityError.nothingToChange(1)) {
            try await repository.update(1, EntityChanges())
        }

        #expect(service.calls == 0)
        #expect(analytics.events.isEmpty)
    }

    @Test("What fails is not reported")
    func failures() async {
        await #expect(throws: EntityError.notFound(99)) {
            try await repository.update(99, EntityChanges(name: "x"))
        }
        await #expect(throws: EntityError.notFound(99)) { try await repository.delete(99) }

        #expect(service.calls == 2)
        #expect(analytics.events.isEmpty)
    }
}

/// Counts the calls on their way to another service.
private final class CountingEntityService: EntityService {
    private let service: any EntityService
    private let count = Mutex(0)

    init(_ service: any EntityService) {
        self.service = service
    }

    var calls: Int { count.withLock { $0 } }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await counted { try await $0.page(query) }
    }

    func entity(_ id: Int) async throws -> Entity {
        try await counted { try await $0.entity(id) }
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await counted { try await $0.create(draft) }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await counted { try await $0.update(id, changes) }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await counted { try await $0.delete(id) }
    }

    private func counted<Value>(
        _ call: (any EntityService) async throws -> sending Value
    ) async throws -> sending Value {
        count.withLock { $0 += 1 }
        return try await call(service)
    }
}
