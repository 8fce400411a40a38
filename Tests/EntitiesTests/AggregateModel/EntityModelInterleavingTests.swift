import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

/// A model with lists, over a service that holds each step; a seed chooses the operations.
@MainActor
private final class World {
    let interleaver: Interleaver
    let service: GatedEntityService
    let model: EntityModel
    /// One from its first page, a filtered one, and one from its second page.
    let listings: [EntityListing]
    let record: RecordViewModel<Entity>
    /// The entities of the service according to its answers.
    private(set) var acknowledged: [Int: Entity] = [:]
    /// How many changes were requested, made and refused, and how many commands succeeded and failed.
    private(set) var asked = 0, made = 0, refused = 0, errors = 0, failed = 0
    private(set) var cancelled = 0
    private(set) var outsideChanges = 0
    private var running: [Task<Void, Never>] = []
    private var recordLoads = 0

    private static let queries = [
        EntityQuery(size: 3), EntityQuery(size: 4, sort: .newest, category: "seats"),
        EntityQuery(page: 2, size: 2, sort: .nameDescending),
    ]

    init(seed: UInt64) {
        // The closure needs `self`, which isn't initialized yet; `counts.world` is set below.
        let counts = Counts()
        interleaver = Interleaver(seed: seed) { counts.underWay() }
        let entities = (1...9).map { number in
            Entity.sample(number, "entity \(number)", number.isMultiple(of: 2) ? "seats" : nil)
        }
        service = GatedEntityService(entities, interleaver, failsOneIn: 4)
        let model = EntityModel(service)
        self.model = model
        listings = Self.queries.map { _ in EntityListing(model: model) }
        record = RecordViewModel<Entity>(id: 4, model: model, navigator: RecordingNavigator())
        counts.world = self
        acknowledged = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) })
        model.settled.add(self) { world, settled in
            world.note(settled)
            world.interleaver.notice()
        }
    }

    private func note(_ settled: SettledChange<Entity>) {
        switch settled.change {
        case .created(let entity), .updated(let entity): acknowledged[entity.id] = entity
        case .deleted(let entity): acknowledged[entity.id] = nil
        case nil: break
        }
        if settled.change == nil, !settled.mayHaveChanged { refused += 1 } else { made += 1 }
    }

    /// Counts the requests in flight.
    private final class Counts {
        weak var world: World?

        @MainActor func underWay() -> Int {
            guard let world else { return 0 }
            return world.model.pending.filter(\.isSent).count + world.recordLoads
                + world.listings.filter(\.isLoading).count
        }
    }

    func begin(_ operation: @escaping @MainActor () async -> Void) async throws {
        running.append(try await interleaver.begin(operation))
    }

    /// Performs a random operation; `withOthers` includes changes by other clients.
    func step(withOthers: Bool) async throws {
        let (id, listing) = (interleaver.choose(12) + 1, listings[interleaver.choose(listings.count)])
        switch interleaver.choose(withOthers ? 12 : 10) {
        case 0: try await change { try await $0.create(self.draft()) }
        case 1, 2: try await change { try await $0.update(id, self.changes()) }
        case 3: try await change { try await $0.delete(id, optimistically: self.isOptimistic()) }
        case 4: try await begin { try? await listing.loadNextPage() }
        case 5: try await begin { try? await listing.loadAll(reloads: true) }
        case 6: try await begin { try? await listing.loadAll() }
        case 7: try await loadRecord()
        case 8:
            guard !running.isEmpty else { return }
            try await interleaver.cancel(running.remove(at: interleaver.choose(running.count)))
        case 10: service.createAtOnce(draft()); outsideChanges += 1
        case 11: try? outsideChange(id)
        default: try await interleaver.open()
        }
    }

    private func outsideChange(_ id: Int) throws {
        outsideChanges += 1
        if interleaver.choose(2) == 0 {
            try service.deleteAtOnce(id)
        } else {
            try service.updateAtOnce(id, changes())
        }
    }

    private func change(
        _ change: @escaping @MainActor (EntityModel) async throws -> Entity
    ) async throws {
        asked += 1
        try await begin { [self] in
            do {
                _ = try await change(model)
                errors += 1
            } catch is CancellationError {
                cancelled += 1
            } catch {
                failed += 1
            }
        }
    }

    private func loadRecord() async throws {
        // A second load would share the first one's gate.
        guard recordLoads == 0 else { return }
        recordLoads += 1
        try await begin { [self] in
            try? await record.load()
            recordLoads -= 1
        }
    }

    private func draft() -> EntityDraft {
        EntityDraft(
            name: "entity \(interleaver.choose(20))", category: interleaver.choose(2) == 0 ? "seats" : nil)
    }

    private func changes() -> EntityChanges {
        EntityChanges(
            name: "entity \(interleaver.choose(20))",
            category: [nil, "seats", ""][interleaver.choose(3)])
    }

    private func isOptimistic() -> Bool {
        interleaver.choose(3) != 0
    }

    func show() async throws {
        for (listing, query) in zip(listings, Self.queries) {
            try await begin { try? await listing.show(query) }
        }
    }

    // MARK: - Invariants

    func expectSoundness() {
        for listing in listings {
            let ids = listing.rows.map(\.id)
            #expect(Set(ids).count == ids.count)
            #expect(listing.total >= listing.rows.count)
        }
    }

    func expectNothingPending() {
        #expect(model.pending.isEmpty)
        for listing in listings {
            #expect(!listing.isLoading)
            #expect(listing.rows.allSatisfy { $0.status == nil && $0.id > 0 })
        }
    }

    /// Checks that each list that claims to be exact equals the service's list.
    func expectTruth(ofAll: Bool) {
        for listing in listings {
            guard let window = listing.window else { continue }
            if ofAll { #expect(window.isExact) }
            guard window.isExact else { continue }
            let truth = service.truth(window.query)
            #expect(window.rows == Array(truth.dropFirst(window.query.offset).prefix(window.rows.count)))
            #expect(window.total == truth.count)
        }
    }

    /// Checks that the service has exactly the acknowledged changes and that each command got one outcome.
    func expectNothingLost() {
        let query = EntityQuery(sort: .oldest)
        #expect(service.truth(query) == acknowledged.values.sorted(by: query.isInOrder))
        expectOutcomes()
    }

    func expectOutcomes() {
        #expect(asked == made + refused)
        #expect(asked == errors + failed + cancelled)
        #expect(errors <= made && failed <= refused)
        #expect(refused > 0 || model.failure == nil)
    }
}

@MainActor
@Suite("Entity aggregate model: random interleavings", .timeLimit(.minutes(5)))
struct EntityModelInterleavingTests {
    @Test(
        "Once all changes settle, the lists equal the service's: nothing pending, duplicated or lost",
        arguments: 0..<300)
    func interleavings(_ seed: Int) async throws {
        let world = World(seed: UInt64(seed))
        let withOthers = seed.isMultiple(of: 3)
        try await world.show()

        for _ in 0..<40 {
            try await world.step(withOthers: withOthers)
            world.expectSoundness()
        }
        try await world.interleaver.finish()

        world.expectNothingPending()
        world.expectSoundness()
        world.expectOutcomes()
        if world.outsideChanges == 0 {
            world.expectTruth(ofAll: false)
            world.expectNothingLost()
        }
        for listing in world.listings where listing.window != nil {
            // Loads fail at random too.
            for _ in 0..<20 {
                try await world.begin { try? await listing.loadAll(reloads: true) }
                try await world.interleaver.finish()
                if listing.failure == nil { break }
            }
        }
        world.expectTruth(ofAll: true)
    }
}
