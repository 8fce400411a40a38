import AtriumTesting
import Observation
import TestSupport

@testable import AtriumKit
@testable import Entities

/// A file with three entities, which is deleted when the process ends.
func threeEntities() throws -> EntityFile {
    // Tests run beside each other.
    let name = "lamps-\(UInt64.random(in: 0...UInt64.max)).csv"
    return try EntityFile(importFolder.write("name\nimported 1\nimported 2\nimported 3\n".utf8, to: name))
}

private let importFolder = TemporaryFolder()

/// A model and a list over a gated service.
@MainActor
final class ModelWorld {
    let interleaver: Interleaver
    let service: GatedEntityService
    let model: EntityModel
    let listing: EntityListing
    let clock = FixedClock()
    let analytics = RecordingAnalytics()
    /// The settled changes that the model reported, in order.
    private(set) var settled: [SettledChange<Entity>] = []
    /// The number of operations in flight besides changes and the list.
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
        noticeLoads()
    }

    /// The list also loads when no operation waits for it.
    private func noticeLoads() {
        withObservationTracking {
            _ = listing.isLoading
        } onChange: { [weak self] in
            Task { @MainActor in
                self?.interleaver.notice()
                self?.noticeLoads()
            }
        }
    }

    private final class Owner {
        weak var world: ModelWorld?
    }

    private var underWay: Int {
        model.pending.filter(\.isSent).count + (listing.isLoading ? 1 : 0) + others
    }

    /// The names that the list shows.
    var names: [String] { listing.rows.map(\.record.name) }
    /// The pending status of each row.
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

    /// Begins an operation other than a change or a load of the list, with one request in flight at a time.
    @discardableResult
    func beginOther(_ operation: @escaping @MainActor () async -> Void) async throws -> Task<Void, Never> {
        others += 1
        return try await begin { [self] in
            await operation()
            others -= 1
        }
    }

    /// Lets a request run and its answer arrive.
    func answer(_ name: String) async throws {
        try await interleaver.open(name)
        try await interleaver.open(name + " answered")
    }
}
