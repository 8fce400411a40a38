import AtriumKit
import AtriumStorage
import AtriumTesting
import TestSupport

@testable import Entities

/// The implementations of the entity service: each must pass the same tests.
enum Store: String, CaseIterable, Sendable {
    case mock, local, live

    /// An empty service of this kind; what it needs lives as long as it.
    @MainActor
    func make(clock: FixedClock) async throws -> any EntityService {
        switch self {
        case .mock: MockEntityService(clock: clock, entities: [])
        case .local: TemporaryEntityService(clock: clock)
        case .live: try await ServedEntityService()
        }
    }
}

/// A local service that keeps its temporary database alive.
struct TemporaryEntityService: WrappedEntityService {
    let storage: TemporaryDatabase
    let service: LocalEntityService

    init(clock: FixedClock) {
        storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
        service = LocalEntityService(database: storage.database, clock: clock)
    }
}

extension EntityService {
    /// The names of a page.
    func names(_ query: EntityQuery) async throws -> [String] {
        try await page(query).rows.map(\.name)
    }

    /// What every entity says, by id.
    func texts() async throws -> [EntityDraft] {
        try await page(EntityQuery(size: 500, sort: .oldest)).rows.map {
            EntityDraft(name: $0.name, category: $0.category, notes: $0.notes)
        }
    }
}
