import Synchronization

@testable import AtriumKit
@testable import Entities

/// Wraps a service and, once `fail(with:)` is called, throws that error from every call.
final class FailingEntityService: RecordService {
    private let service: any RecordService<Entity>
    private let failure = Mutex<(any Error & Sendable)?>(nil)

    init(_ service: any RecordService<Entity>) {
        self.service = service
    }

    func fail(with error: (any Error & Sendable)?) {
        failure.withLock { $0 = error }
    }

    private func asked() throws -> any RecordService<Entity> {
        if let failure = failure.withLock({ $0 }) { throw failure }
        return service
    }

    func page(_ query: EntityQuery) async throws -> EntityPage { try await asked().page(query) }
    func record(_ id: Int) async throws -> Entity { try await asked().record(id) }
    func values(_ query: CategoryQuery) async throws -> CategoryList {
        try await asked().values(query)
    }
    func create(_ draft: EntityDraft) async throws -> Entity { try await asked().create(draft) }
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await asked().update(id, changes)
    }
    func delete(_ id: Int) async throws -> Entity? { try await asked().delete(id) }
    func createAll(
        _ read: @escaping @Sendable (_ add: (Entity) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await asked().createAll(read)
    }

    func forEachPart(_ body: @escaping @Sendable ([Entity]) throws -> Void) async throws {
        try await asked().forEachPart(body)
    }
}
