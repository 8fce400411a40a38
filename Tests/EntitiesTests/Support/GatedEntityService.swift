import AtriumTesting
import Synchronization

@testable import AtriumKit
@testable import Entities

/// An entity service in memory that holds each request twice.
///
/// A request waits at one gate before it is performed, and at another before its answer is returned.
final class GatedEntityService: RecordService {
    private struct State {
        var entities: [Int: Entity]
        var lastID: Int
        var moment = Timestamp(microseconds: 1_767_225_600_000_000)
        var calls: [String] = []
        var failing: Set<String> = []
    }

    private let interleaver: Interleaver
    private let failsOneIn: Int?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - entities: The initial entities.
    ///   - interleaver: Opens the gates.
    ///   - failsOneIn: Fails one in so many requests at random; none if nil.
    @MainActor
    init(_ entities: [Entity], _ interleaver: Interleaver, failsOneIn: Int? = nil) {
        self.interleaver = interleaver
        self.failsOneIn = failsOneIn
        state = Mutex(
            State(
                entities: Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) }),
                lastID: entities.map(\.id).max() ?? 0))
    }

    /// The names of the requests that were performed or refused, in order.
    var calls: [String] { state.withLock { $0.calls } }
    var ids: [Int] { state.withLock { $0.entities.keys.sorted() } }

    /// Refuses the next request with this name.
    func fail(_ name: String) {
        state.withLock { _ = $0.failing.insert(name) }
    }

    /// All current entities that match a query, in its order and without paging.
    func truth(_ query: EntityQuery) -> [Entity] {
        state.withLock { $0.entities.values.filter(query.includes).sorted(by: query.isInOrder) }
    }

    func truth(_ id: Int) -> Entity? { state.withLock { $0.entities[id] } }

    // MARK: - Immediate changes by other clients

    @discardableResult
    func createAtOnce(_ draft: EntityDraft) -> Entity {
        state.withLock { state in
            state.lastID += 1
            state.moment = state.moment.adding(seconds: 1)
            let entity = Entity(
                id: state.lastID, name: draft.name, category: draft.category, notes: draft.notes,
                createdAt: state.moment, updatedAt: state.moment)
            state.entities[entity.id] = entity
            return entity
        }
    }

    @discardableResult
    func updateAtOnce(_ id: Int, _ changes: EntityChanges) throws -> Entity {
        try state.withLock { state in
            guard let known = state.entities[id] else { throw ServiceError.notFound(id) }
            state.moment = state.moment.adding(seconds: 1)
            var entity = changes.applied(to: known)
            entity.updatedAt = state.moment
            state.entities[id] = entity
            return entity
        }
    }

    @discardableResult
    func deleteAtOnce(_ id: Int) throws -> Entity {
        try state.withLock { state in
            guard let entity = state.entities.removeValue(forKey: id) else { throw ServiceError.notFound(id) }
            return entity
        }
    }

    // MARK: - The service

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await answering("page \(query.page)") {
            let all = $0.truth(query)
            return EntityPage(
                rows: Array(all.dropFirst(query.offset).prefix(query.size)), total: all.count)
        }
    }

    func record(_ id: Int) async throws -> Entity {
        try await answering("entity \(id)") {
            guard let entity = $0.truth(id) else { throw ServiceError.notFound(id) }
            return entity
        }
    }

    func values(_ query: CategoryQuery) async throws -> CategoryList {
        CategoryList(rows: [], total: 0)
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await answering("create \(draft.name)") { $0.createAtOnce(draft) }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await answering("update \(id)") { try $0.updateAtOnce(id, changes) }
    }

    func delete(_ id: Int) async throws -> Entity? {
        try await answering("delete \(id)") { try $0.deleteAtOnce(id) }
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Entity) throws -> Void) throws -> Void
    ) async throws -> Int {
        try await answering("import") { service in
            var count = 0
            try read { entity in
                service.createAtOnce(entity)
                count += 1
            }
            return count
        }
    }

    func forEachPart(_ body: @escaping @Sendable ([Entity]) throws -> Void) async throws {
        try await answering("export") { try body($0.truth(EntityQuery(sort: .oldest))) }
    }

    private func answering<Value: Sendable>(
        _ name: String, _ answer: (GatedEntityService) throws -> Value
    ) async throws -> Value {
        try await interleaver.pass(name)
        let isRefused = await isRefused(name)
        state.withLock { $0.calls.append(name) }
        let result: Result<Value, any Error> =
            isRefused ? .failure(ServiceError.unavailable) : Result { try answer(self) }
        try await interleaver.pass(name + " answered")
        return try result.get()
    }

    private func isRefused(_ name: String) async -> Bool {
        if state.withLock({ $0.failing.remove(name) != nil }) { return true }
        guard let failsOneIn else { return false }
        return await interleaver.choose(failsOneIn) == 0
    }
}

extension Entity {
    /// A test entity; a greater id means a later creation time.
    static func sample(_ id: Int, _ name: String, _ category: String? = nil) -> Entity {
        let moment = FixedClock().now().adding(seconds: id - 1_000)
        return Entity(
            id: id, name: name, category: category, notes: nil, createdAt: moment, updatedAt: moment)
    }
}
