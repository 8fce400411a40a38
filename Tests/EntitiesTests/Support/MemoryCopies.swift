import AtriumKit
import Synchronization

@testable import Entities

/// Keeps copies in memory, for each account apart.
final class MemoryCopies: EntityCopyService {
    private struct Copy {
        var pages: [EntityQuery: (EntityPage, Timestamp)] = [:]
        var entities: [Int: (Entity, Timestamp)] = [:]
        var lists: [CategoryQuery: (CategoryList, Timestamp)] = [:]
    }

    private struct State {
        var copies: [String?: Copy] = [:]
        var isFailing = false
    }

    private let state = Mutex(State())

    /// The entities and pages that a guest was answered.
    var entities: [Int: Entity] { entities(of: nil) }
    var pages: [EntityPage] { copy(nil).pages.values.map(\.0) }

    func entities(of account: String?) -> [Int: Entity] { copy(account).entities.mapValues(\.0) }

    func fail() {
        state.withLock { $0.isFailing = true }
    }

    private func copy(_ account: String?) -> Copy {
        state.withLock { $0.copies[account] ?? Copy() }
    }

    private func changing(_ account: String?, _ change: (inout Copy) -> Void) throws {
        try state.withLock { state in
            if state.isFailing { throw EntityError.unavailable }
            change(&state.copies[account, default: Copy()])
        }
    }

    func keep(_ page: EntityPage, of account: String?, at moment: Timestamp) async throws {
        try changing(account) { $0.pages[page.query] = (page, moment) }
    }

    func keep(_ entity: Entity, of account: String?, at moment: Timestamp) async throws {
        try changing(account) { $0.entities[entity.id] = (entity, moment) }
    }

    func keep(
        _ list: CategoryList, for query: CategoryQuery, of account: String?, at moment: Timestamp
    ) async throws {
        try changing(account) { $0.lists[query] = (list, moment) }
    }

    func forget(_ id: Int, of account: String?) async throws {
        try changing(account) { $0.entities[id] = nil }
    }

    func page(_ query: EntityQuery, of account: String?) async throws -> (value: EntityPage, asOf: Timestamp)?
    {
        copy(account).pages[query].map { ($0.0, $0.1) }
    }

    func entity(_ id: Int, of account: String?) async throws -> (value: Entity, asOf: Timestamp)? {
        copy(account).entities[id].map { ($0.0, $0.1) }
    }

    func categories(
        _ query: CategoryQuery, of account: String?
    ) async throws -> (value: CategoryList, asOf: Timestamp)? {
        copy(account).lists[query].map { ($0.0, $0.1) }
    }
}
