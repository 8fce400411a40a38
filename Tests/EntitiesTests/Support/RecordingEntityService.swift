import AtriumKit
import Synchronization

@testable import Entities

/// Wraps a service and records its calls; may wait or fail before each.
final class RecordingEntityService: EntityService {
    private let service: any EntityService
    private let wait: @Sendable () async -> Void
    private let recorded = Mutex<[String]>([])
    private let failure = Mutex<ServiceError?>(nil)

    init(_ service: any EntityService, waiting wait: @escaping @Sendable () async -> Void = {}) {
        self.service = service
        self.wait = wait
    }

    /// The names of the calls, in order.
    var calls: [String] { recorded.withLock { $0 } }

    /// Makes every later call fail; nil lets calls succeed again.
    func fail(with error: ServiceError?) {
        failure.withLock { $0 = error }
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await recorded("page") { try await $0.page(query) }
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await recorded("categories") { try await $0.categories(query) }
    }

    func entity(_ id: Int) async throws -> Entity {
        try await recorded("entity") { try await $0.entity(id) }
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await recorded("create") { try await $0.create(draft) }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await recorded("update") { try await $0.update(id, changes) }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await recorded("delete") { try await $0.delete(id) }
    }

    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await recorded("importEntities") { try await $0.importEntities(from: file, progress: progress) }
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await recorded("exportEntities") { try await $0.exportEntities(to: file, progress: progress) }
    }

    private func recorded<Value>(
        _ name: String, _ call: (any EntityService) async throws -> sending Value
    ) async throws -> sending Value {
        recorded.withLock { $0.append(name) }
        await wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        return try await call(service)
    }
}
