/// The deletion of several records: the state of each, in the order of the command.
struct RecordDeletions<Item: Record>: Sendable {
    var states: [(id: Item.ID, state: State)]
    /// True if the command was cancelled before all were tried.
    var isCancelled = false

    enum State: Sendable {
        case deleted(Item)
        case failed(any Error)
        /// Sent, but not answered when the command was cancelled; it can't be recalled.
        case pending
        case notTried
    }

    init(_ ids: [Item.ID]) { states = ids.map { ($0, .notTried) } }

    var deleted: [Item] {
        states.compactMap { if case .deleted(let record) = $0.state { record } else { nil } }
    }

    func summary() throws -> String {
        let deleted = deleted
        guard deleted.count == states.count else {
            throw ServiceError.notAllDeleted(
                report, isKnown: inDoubt.isEmpty, isCancelled: isCancelled, link: Item.link,
                cause: failures.first?.error)
        }
        return deleted.count == 1
            ? "Deleted '\(deleted[0].recordName)'." : "Deleted \(Item.fields.noun.counted(deleted.count))."
    }

    private var failures: [(id: Item.ID, error: any Error)] {
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
            "\(inDoubt.isEmpty ? "" : "At least ")\(deleted.count) of \(states.count) \(Item.fields.noun.plural) were deleted",
            Self.list("not deleted", failed),
            Self.list("not known", inDoubt),
            Self.list("not tried", notTried.map { "\($0.id)" }),
        ]
        return parts.compactMap { $0 }.joined(separator: "; ") + "."
    }

    /// The records that may have been deleted: their deletion was sent, without a conclusive answer.
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

    private static var namedCount: Int { 20 }

    private static func list(_ label: String, _ items: [String]) -> String? {
        guard !items.isEmpty else { return nil }
        let rest = items.count - namedCount
        return "\(label): " + items.prefix(namedCount).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }
}

extension RecordModel {
    private static var width: Int { 8 }

    /// Deletes records, several at a time; each is removed from the screens when its deletion is sent.
    ///
    /// A record whose deletion fails reappears and the others continue, unless the reason concerns all: the
    /// service can't be reached, or the user is signed out. If the calling task is cancelled, no more
    /// deletions are sent, and those in flight are not awaited.
    func delete(_ ids: [Item.ID], progress: @Sendable (Int) -> Void) async -> RecordDeletions<Item> {
        var deletions = RecordDeletions<Item>(ids)
        await withTaskGroup(of: (Int, RecordDeletions<Item>.State).self) { group in
            var (count, continues) = (0, true)
            func note(_ ended: (index: Int, state: RecordDeletions<Item>.State)) {
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

    private func deletion(of id: Item.ID) async -> RecordDeletions<Item>.State {
        do {
            return .deleted(try await delete(id))
        } catch is CancellationError {
            return .pending
        } catch {
            return .failed(error)
        }
    }

    /// The ids of all records that belong to a list, read from the service.
    func ids(of list: RecordQuery<Item>) async throws -> [Item.ID] {
        var query = RecordQuery<Item>.everything
        (query.search, query.filters) = (list.search, list.filters)
        return try await repository.all(query).map(\.id)
    }
}

extension Error {
    fileprivate var concernsAll: Bool { isOffline || apiError?.code == .notAuthenticated }
}
