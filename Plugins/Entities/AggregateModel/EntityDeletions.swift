import AtriumKit

/// The deletion of several entities: the state of each, in the order of the command.
struct EntityDeletions: Sendable {
    var states: [(id: Int, state: State)]
    /// True if the command was cancelled before all were tried.
    var isCancelled = false

    enum State: Sendable {
        case deleted(Entity)
        case failed(any Error)
        /// Sent, but not answered when the command was cancelled; it can't be recalled.
        case pending
        case notTried
    }

    init(_ ids: [Int]) { states = ids.map { ($0, .notTried) } }

    var deleted: [Entity] {
        states.compactMap { if case .deleted(let entity) = $0.state { entity } else { nil } }
    }

    func summary() throws -> String {
        let deleted = deleted
        guard deleted.count == states.count else {
            throw ServiceError.notAllDeleted(
                report, isKnown: inDoubt.isEmpty, isCancelled: isCancelled, cause: failures.first?.error)
        }
        return deleted.count == 1 ? "Deleted '\(deleted[0].name)'." : "Deleted \(deleted.count) entities."
    }

    private var failures: [(id: Int, error: any Error)] {
        states.compactMap { id, state in
            if case .failed(let error) = state { (id, error) } else { nil }
        }
    }

    private var report: String {
        let failed = failures.filter { $0.error.changeOutcome != .unknown }.map {
            "\($0.id) (\(LoadFailure($0.error).message))"
        }
        let notTried = states.filter { if case .notTried = $0.state { true } else { false } }
        let parts = [
            "\(inDoubt.isEmpty ? "" : "At least ")\(deleted.count) of \(states.count) entities were deleted",
            Self.list("not deleted", failed),
            Self.list("not known", inDoubt),
            Self.list("not tried", notTried.map { "\($0.id)" }),
        ]
        return parts.compactMap { $0 }.joined(separator: "; ") + "."
    }

    /// The entities that may have been deleted: their deletion was sent, without a conclusive answer.
    private var inDoubt: [String] {
        states.compactMap { id, state in
            switch state {
            case .failed(let error) where error.changeOutcome == .unknown:
                "\(id) (\(LoadFailure(error).message))"
            case .pending: "\(id)"
            default: nil
            }
        }
    }

    private static let namedCount = 20

    private static func list(_ label: String, _ items: [String]) -> String? {
        guard !items.isEmpty else { return nil }
        let rest = items.count - namedCount
        return "\(label): " + items.prefix(namedCount).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension EntityModel {
    private static let width = 8

    /// Deletes entities, several at a time; each is removed from the screens when its deletion is sent.
    ///
    /// An entity whose deletion fails reappears and the others continue, unless the reason concerns all: the
    /// service can't be reached, or the user is signed out. If the calling task is cancelled, no more
    /// deletions are sent, and those in flight are not awaited.
    func delete(_ ids: [Int], progress: @Sendable (Int) -> Void) async -> EntityDeletions {
        var deletions = EntityDeletions(ids)
        await withTaskGroup(of: (Int, EntityDeletions.State).self) { group in
            var (count, continues) = (0, true)
            func note(_ ended: (index: Int, state: EntityDeletions.State)) {
                deletions.states[ended.index].state = ended.state
                switch ended.state {
                case .deleted: count += 1
                case .failed(let error) where error.concernsAll: continues = false
                default: break
                }
                progress(count)
            }
            for (index, id) in ids.enumerated() {
                if index >= Self.width, let ended = await group.next() { note(ended) }
                guard continues, !Task.isCancelled else { break }
                group.addTask { (index, await self.deletion(of: id)) }
            }
            while let ended = await group.next() { note(ended) }
        }
        deletions.isCancelled = Task.isCancelled
        return deletions
    }

    private func deletion(of id: Int) async -> EntityDeletions.State {
        do {
            return .deleted(try await delete(id))
        } catch is CancellationError {
            return .pending
        } catch {
            return .failed(error)
        }
    }

    /// The ids of all entities that pass the filter of a list, read from the service.
    func ids(of list: EntityQuery) async throws -> [Int] {
        var ids: [Int] = []
        var query = EntityQuery(
            size: EntityQuery.sizes.upperBound, sort: .oldest, category: list.category, search: list.search)
        while true {
            let page = try await repository.page(query, reloads: true)
            guard page.asOf == nil else { throw ServiceError.unavailable }
            ids += page.value.rows.map(\.id)
            guard page.value.hasMore else { return ids }
            query = query.onPage(query.page + 1)
        }
    }
}

extension Error {
    fileprivate var concernsAll: Bool { isOffline || apiError?.code == .notAuthenticated }
}
