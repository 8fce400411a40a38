import AtriumKit
import AtriumStorage
import AtriumTesting
import TestSupport

@testable import Entities

/// The implementations of the entity service that keep what they are told: each must pass the same tests.
enum Store: String, CaseIterable, Sendable {
    case mock, local

    /// An empty service of this kind; the database lives as long as it.
    @MainActor
    func make(clock: FixedClock) -> any EntityService {
        switch self {
        case .mock: MockEntityService(clock: clock, entities: [])
        case .local: TemporaryEntityService(clock: clock)
        }
    }
}

/// A local service that keeps its temporary database alive.
private struct TemporaryEntityService: EntityService {
    private let storage: TemporaryDatabase
    private let service: LocalEntityService

    @MainActor
    init(clock: FixedClock) {
        storage = TemporaryDatabase(owner: "Entities", migrations: EntitiesModule.migrations)
        service = LocalEntityService(database: storage.database, clock: clock)
    }

    func page(_ query: EntityQuery) async throws -> EntityPage { try await service.page(query) }
    func entity(_ id: Int) async throws -> Entity { try await service.entity(id) }
    func create(_ draft: EntityDraft) async throws -> Entity { try await service.create(draft) }
    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await service.categories(query)
    }
    func delete(_ id: Int) async throws -> Entity { try await service.delete(id) }
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await service.update(id, changes)
    }
}

extension EntityService {
    /// The names of a page.
    func names(_ query: EntityQuery) async throws -> [String] {
        try await page(query).rows.map(\.name)
    }
}
