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
struct TemporaryEntityService: EntityService {
    let storage: TemporaryDatabase
    private let service: LocalEntityService

    init(clock: FixedClock) {
        storage = TemporaryDatabase(owner: "Entities", migrations: EntityQueries.migrations)
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
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await service.importEntities(from: file, progress: progress)
    }
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await service.exportEntities(to: file, progress: progress)
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
