import AtriumKit
import Synchronization

@testable import Entities

/// Wraps a service and, once `fail(with:)` is called, throws that error from every call.
final class FailingEntityService: EntityService {
    private let service: any EntityService
    private let failure = Mutex<(any Error & Sendable)?>(nil)

    init(_ service: any EntityService) {
        self.service = service
    }

    func fail(with error: (any Error & Sendable)?) {
        failure.withLock { $0 = error }
    }

    private func asked() throws -> any EntityService {
        if let failure = failure.withLock({ $0 }) { throw failure }
        return service
    }

    func page(_ query: EntityQuery) async throws -> EntityPage { try await asked().page(query) }
    func entity(_ id: Int) async throws -> Entity { try await asked().entity(id) }
    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await asked().categories(query)
    }
    func create(_ draft: EntityDraft) async throws -> Entity { try await asked().create(draft) }
    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await asked().update(id, changes)
    }
    func delete(_ id: Int) async throws -> Entity { try await asked().delete(id) }
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await asked().importEntities(from: file, progress: progress)
    }
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await asked().exportEntities(to: file, progress: progress)
    }
}
