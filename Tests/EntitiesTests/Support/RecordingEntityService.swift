import Synchronization

@testable import AtriumKit
@testable import Entities

/// Wraps a service and records its calls; may wait or fail before each.
final class RecordingEntityService: RecordService {
    private let service: any RecordService<Entity>
    private let wait: @Sendable () async -> Void
    private let recorded = Mutex<[String]>([])
    private let failure = Mutex<ServiceError?>(nil)

    init(_ service: any RecordService<Entity>, waiting wait: @escaping @Sendable () async -> Void = {}) {
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

    func values(_ query: CategoryQuery) async throws -> CategoryList {
        try await recorded("categories") { try await $0.values(query) }
    }

    func record(_ id: Int) async throws -> Entity {
        try await recorded("entity") { try await $0.record(id) }
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await recorded("create") { try await $0.create(draft) }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await recorded("update") { try await $0.update(id, changes) }
    }

    func delete(_ id: Int) async throws -> Entity? {
        try await recorded("delete") { try await $0.delete(id) }
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Entity) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await recorded("createAll") { try await $0.createAll(read) }
    }

    func forEachPart(_ body: @escaping @Sendable ([Entity]) throws -> Void) async throws {
        try await recorded("forEachPart") { try await $0.forEachPart(body) }
    }

    private func recorded<Value>(
        _ name: String, _ call: (any RecordService<Entity>) async throws -> sending Value
    ) async throws -> sending Value {
        recorded.withLock { $0.append(name) }
        await wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        return try await call(service)
    }
}
