import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

/// Interleavings in which the sample code loses an entity, crashes or loses a page; `EntityModel` does not.
@MainActor
@Suite("Entity aggregate model: faults of the sample code", .timeLimit(.minutes(5)))
struct SeedInterleavingTests {
    private static let entities = [Entity.sample(1, "a"), .sample(2, "b"), .sample(3, "c")]

    @Test(
        "A failed update that follows a deletion rolls back its own entity only"
    )
    func updateAfterDeletion() async throws {
        let (seed, seedService, seedGates) = seed()
        var changed = Self.entities[1]
        changed.name = "X"
        seedService.fail("update 2")
        try await seedGates.begin { [changed] in await seed.update(changed) }
        try await seedGates.begin { await seed.delete(Self.entities[0]) }
        try await answer("delete 1", of: seedGates)
        try await answer("update 2", of: seedGates)
        #expect(
            seed.entities.map(\.name) == ["X", "b"], "The sample loses entity 3 and lists entity 2 twice.")
        #expect(seed.entities.map(\.id) == [2, 2])

        let world = try await ours()
        world.service.fail("update 2")
        try await world.begin { _ = try? await world.model.update(2, EntityChanges(name: "X")) }
        try await world.begin { _ = try? await world.model.delete(1) }
        #expect(world.names == ["X", "c"])
        try await answer("delete 1", of: world.interleaver)
        try await answer("update 2", of: world.interleaver)

        #expect(world.names == ["b", "c"])
        #expect(world.listing.rows.allSatisfy { $0.status == nil })
        #expect(world.model.failure?.reason.message == ServiceError.unavailable.message)
    }

    @Test("A failed deletion that follows successful ones restores its entity")
    func deletionAfterDeletions() async throws {
        let (seed, seedService, seedGates) = seed()
        seedService.fail("delete 3")
        for entity in Self.entities.reversed() { try await seedGates.begin { await seed.delete(entity) } }
        for id in [1, 2, 3] { try await answer("delete \(id)", of: seedGates) }
        #expect(seed.trap == "delete 3", "The sample inserts past the end, which crashes.")

        let world = try await ours()
        world.service.fail("delete 3")
        for id in [3, 2, 1] { try await world.begin { _ = try? await world.model.delete(id) } }
        #expect(world.names == [])
        for id in [1, 2, 3] { try await answer("delete \(id)", of: world.interleaver) }

        #expect(world.names == ["c"])
        #expect(world.listing.total == 1)
        #expect(world.service.ids == [3])
    }

    @Test("A refresh while the next page is loading ends with both pages")
    func refreshWhileLoading() async throws {
        let (seed, _, seedGates) = seed([])
        try await seedGates.begin { await seed.loadNextPage() }
        try await answer("page 1", of: seedGates)
        try await seedGates.begin { await seed.loadNextPage() }
        try await seedGates.begin { await seed.refresh() }
        try await seedGates.finish()
        #expect(seed.entities.map(\.name) == ["c"], "The sample loses the first page.")

        let world = try await ours(size: 2)
        try await world.begin { try? await world.listing.loadNextPage() }
        try await world.begin { try? await world.listing.loadAll(reloads: true) }
        try await world.interleaver.finish()

        #expect(world.names == ["a", "b", "c"])
        #expect(!world.listing.isLoading)
        #expect(!world.listing.hasMore)
    }

    // MARK: - Helpers

    /// Lets a request run and its answer arrive.
    private func answer(_ name: String, of interleaver: Interleaver) async throws {
        try await interleaver.open(name)
        try await interleaver.open(name + " answered")
    }

    private func seed(_ shown: [Entity] = entities) -> (SeedEntityModel, GatedEntityService, Interleaver) {
        let count = Count()
        let interleaver = Interleaver(seed: 0) { count.value }
        let service = GatedEntityService(Self.entities, interleaver)
        let counted = CountingService(service, count)
        return (SeedEntityModel(counted, shown), service, interleaver)
    }

    private func ours(size: Int = 20) async throws -> ModelWorld {
        let world = ModelWorld(Self.entities)
        try await world.begin { try? await world.listing.show(EntityQuery(size: size)) }
        try await world.interleaver.finish()
        return world
    }
}

/// The number of requests in flight.
@MainActor
private final class Count {
    var value = 0
}

/// Counts the requests in flight of another service, because the sample model does not.
private struct CountingService: RecordService {
    let service: GatedEntityService
    let count: Count

    init(_ service: GatedEntityService, _ count: Count) {
        (self.service, self.count) = (service, count)
    }

    @MainActor
    private func counted<Value: Sendable>(
        _ call: (GatedEntityService) async throws -> Value
    ) async throws -> Value {
        count.value += 1
        defer { count.value -= 1 }
        return try await call(service)
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await counted { try await $0.page(query) }
    }
    func record(_ id: Int) async throws -> Entity { try await counted { try await $0.record(id) } }
    func values(_ query: CategoryQuery) async throws -> CategoryList {
        try await counted { try await $0.values(query) }
    }
    func create(_ draft: EntityDraft) async throws -> Entity {
        try await counted { try await $0.create(draft) }
    }
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await counted { try await $0.update(id, changes) }
    }
    func delete(_ id: Int) async throws -> Entity? { try await counted { try await $0.delete(id) } }
}
