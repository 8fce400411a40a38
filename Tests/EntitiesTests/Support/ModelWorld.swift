import AtriumKit
import AtriumTesting

@testable import Entities

/// A model and a list over a service whose requests and answers are held.
@MainActor
final class ModelWorld {
    let interleaver: Interleaver
    let service: GatedEntityService
    let model: EntityModel
    let listing: EntityListing
    let clock = FixedClock()
    let analytics = RecordingAnalytics()
    /// What the model told of, in order.
    private(set) var settled: [SettledChange] = []
    /// What the test has under way besides changes and the list.
    var others = 0

    init(_ entities: [Entity], seed: UInt64 = 0) {
        let owner = Owner()
        interleaver = Interleaver(seed: seed) { owner.world?.underWay ?? 0 }
        service = GatedEntityService(entities, interleaver)
        let repository = EntityRepository(service, analytics: analytics, clock: clock)
        model = EntityModel(repository: repository)
        listing = EntityListing(model: model)
        owner.world = self
        model.settled.add(self) { world, settled in
            world.settled.append(settled)
            world.interleaver.notice()
        }
    }

    private final class Owner {
        weak var world: ModelWorld?
    }

    private var underWay: Int {
        model.pending.filter(\.isSent).count + (listing.isLoading ? 1 : 0) + others
    }

    /// The names that the list shows.
    var names: [String] { listing.rows.map(\.entity.name) }
    /// What stands beside the rows.
    var marks: [String] { listing.rows.map { $0.status?.rawValue ?? "" } }

    @discardableResult
    func begin(_ operation: @escaping @MainActor () async -> Void) async throws -> Task<Void, Never> {
        try await interleaver.begin(operation)
    }

    /// Shows a list and waits for it.
    func show(_ query: EntityQuery = EntityQuery()) async throws {
        try await begin { [listing] in try? await listing.show(query) }
        try await interleaver.finish()
    }

    /// Begins something that is under way besides changes and the list: one request after the other.
    @discardableResult
    func beginOther(_ operation: @escaping @MainActor () async -> Void) async throws -> Task<Void, Never> {
        others += 1
        return try await begin { [self] in
            await operation()
            others -= 1
        }
    }

    /// Lets a request be carried out, and its answer arrive.
    func answer(_ name: String) async throws {
        try await interleaver.open(name)
        try await interleaver.open(name + " answered")
    }
}
