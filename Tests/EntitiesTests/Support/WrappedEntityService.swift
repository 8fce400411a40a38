@testable import Entities

/// A service that forwards every call to another one.
protocol WrappedEntityService: EntityService {
    associatedtype Wrapped: EntityService

    var service: Wrapped { get }
}

extension WrappedEntityService {
    func page(_ query: EntityQuery) async throws -> EntityPage { try await service.page(query) }

    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage {
        try await service.page(query, after: last)
    }

    func entity(_ id: Int) async throws -> Entity { try await service.entity(id) }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await service.categories(query)
    }

    func create(_ draft: EntityDraft) async throws -> Entity { try await service.create(draft) }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await service.update(id, changes)
    }

    func delete(_ id: Int) async throws -> Entity { try await service.delete(id) }

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
