@testable import AtriumKit
@testable import Entities

/// A service that forwards every call to another one.
protocol WrappedEntityService: RecordService {
    associatedtype Wrapped: RecordService<Entity>

    var service: Wrapped { get }
}

extension WrappedEntityService {
    func page(_ query: EntityQuery) async throws -> EntityPage { try await service.page(query) }

    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage {
        try await service.page(query, after: last)
    }

    func record(_ id: Int) async throws -> Entity { try await service.record(id) }

    func values(_ query: CategoryQuery) async throws -> CategoryList {
        try await service.values(query)
    }

    func create(_ draft: EntityDraft) async throws -> Entity { try await service.create(draft) }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await service.update(id, changes)
    }

    func delete(_ id: Int) async throws -> Entity? { try await service.delete(id) }

    func deleteAll(
        _ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        try await service.deleteAll(query, progress: progress)
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Entity) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await service.createAll(read)
    }

    func forEachPart(_ body: @escaping @Sendable ([Entity]) throws -> Void) async throws {
        try await service.forEachPart(body)
    }
}
