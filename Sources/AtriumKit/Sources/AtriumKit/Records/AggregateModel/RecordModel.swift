public import Observation

/// Makes every change of records, and sends it to all screens.
///
/// Screens overlay the service's last answer with the pending changes, so a change is visible before it is
/// answered, and a failure leaves nothing to undo.
///
/// Changes of one record are made one at a time, in the order of the commands. A cancelled command stops
/// waiting for its change, which is made anyway. The screens keep the records, not the model.
@MainActor
public final class RecordModel<Item: Record> {
    @Signalled private(set) var pending: [PendingChange<Item>] = []
    @Signalled private(set) var failure: FailedChange<Item>? = nil

    /// Receives each change once, in the same turn as it stops being pending.
    let settled = ObserverList<SettledChange<Item>>()
    private var promises: [Int: Promise<Item>] = [:]
    private var handlers: [Int: Handler] = [:]
    private var lastNumber = 0
    private var changedMeanwhile: Set<Item.ID> = []
    public let repository: RecordRepository<Item>
    /// The names of the records that fields refer to.
    let names: RecordNames<Item>

    typealias Handler = @MainActor (Result<Item, any Error>) -> Void

    public convenience init(repository: RecordRepository<Item>) {
        self.init(repository: repository, names: RecordNames())
    }

    init(repository: RecordRepository<Item>, names: RecordNames<Item>) {
        (self.repository, self.names) = (repository, names)
    }

    var pendingNumbers: Set<Int> { Set(pending.map(\.id)) }

    func pending(of id: Item.ID) -> [PendingChange<Item>] { pending.filter { $0.recordID == id } }

    // MARK: - Changes of one record

    /// Creates a record, and returns it as the service stored it.
    public func create(_ record: Item) async throws -> Item {
        try await beginCreating(record).value()
    }

    /// Creates a record without waiting for it.
    // architecture: allow completion-handler, because a form ends in the turn in which the change ends
    func beginCreating(_ record: Item, handler: Handler? = nil) throws -> Promise<Item> {
        failure = nil
        let record = record.trimmed()
        try ValidationError.check(record.validateInput())
        let provisional = repository.provisional(record, id: .provisionalID(lastNumber + 1))
        return begin(.create(record, provisional: provisional), handler: handler)
    }

    /// Changes fields of a record; shown at once, and taken back if the service refuses them.
    public func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        try await beginUpdating(id, changes).value()
    }

    func beginUpdating(
        // architecture: allow completion-handler, because a form ends in the turn in which the change ends
        _ id: Item.ID, _ changes: RecordChanges<Item>, handler: Handler? = nil
    ) throws -> Promise<Item> {
        failure = nil
        let changes = changes.trimmed()
        try repository.check(id, changes)
        guard id.isStoredID || pending(of: id).isEmpty else {
            throw ServiceError.isBeingCreated(Item.fields.noun)
        }
        return begin(.update(id, changes), handler: handler)
    }

    /// Deletes a record; it is removed from the screens at once, or after the service has answered.
    @discardableResult
    public func delete(_ id: Item.ID, optimistically isOptimistic: Bool = true) async throws -> Item {
        failure = nil
        guard id.isStoredID || pending(of: id).isEmpty else {
            throw ServiceError.isBeingCreated(Item.fields.noun)
        }
        return try await begin(.delete(id), isOptimistic: isOptimistic).value()
    }

    private func begin(
        // architecture: allow completion-handler, because a form ends in the turn in which the change ends
        _ kind: PendingChange<Item>.Kind, isOptimistic: Bool = true, handler: Handler? = nil
    ) -> Promise<Item> {
        lastNumber += 1
        let change = PendingChange<Item>(id: lastNumber, kind: kind, isOptimistic: isOptimistic)
        let promise = Promise<Item>()
        (promises[change.id], handlers[change.id]) = (promise, handler)
        pending.append(change)
        sendNext(of: change.recordID)
        return promise
    }

    /// Sends the first change of a record to the service, unless it was sent already.
    private func sendNext(of id: Item.ID) {
        guard let index = pending.firstIndex(where: { $0.recordID == id }), !pending[index].isSent
        else { return }
        pending[index].isSent = true
        let change = pending[index]
        // Not owned by the command: one that is cancelled must not lose the change.
        Task.immediate {
            let result: Result<Item, any Error>
            do {
                let record = try await self.make(change)
                await self.names.load(for: [record])
                result = .success(record)
            } catch {
                result = .failure(error)
            }
            self.settle(change, result)
        }
    }

    private func make(_ change: PendingChange<Item>) async throws -> Item {
        switch change.kind {
        case .create(let record, _): try await repository.create(record, isByModel: true)
        case .update(let id, let changes): try await repository.update(id, changes, isByModel: true)
        case .delete(let id): try await repository.delete(id, isByModel: true)
        }
    }

    /// Removes a pending change and shows its result, in one turn.
    private func settle(_ change: PendingChange<Item>, _ result: Result<Item, any Error>) {
        let promise = promises.removeValue(forKey: change.id)
        pending.removeAll { $0.id == change.id }
        switch result {
        case .success(let record):
            let isLatest = change.kind.command != .create || !changedMeanwhile.contains(record.id)
            note(change, of: record)
            settled.send(
                SettledChange<Item>(
                    id: change.id, change: isLatest ? change.kind.change(of: record) : nil,
                    mayHaveChanged: !isLatest))
        case .failure(let error):
            failure = FailedChange(
                kind: change.kind, reason: LoadFailure(error), wasAwaited: (promise?.waiterCount ?? 0) > 0)
            settled.send(
                SettledChange<Item>(id: change.id, change: nil, mayHaveChanged: error.mayHaveChanged))
        }
        handlers.removeValue(forKey: change.id)?(result)
        promise?.settle(result)
        sendNext(of: change.recordID)
    }

    /// Records records changed during a creation: the new record may have been listed, and changed or
    /// deleted, before its creation is answered.
    private func note(_ change: PendingChange<Item>, of record: Item) {
        guard pending.contains(where: { $0.kind.command == .create }) else { return changedMeanwhile = [] }
        if change.kind.command != .create { changedMeanwhile.insert(record.id) }
    }
}

extension RecordModel: Observable {}

// MARK: - Many at once

extension RecordModel {
    func importAll(
        from file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        failure = nil
        return try await repository.importAll(from: file, progress: progress)
    }

    /// Deletes every record that passes the filter of a list, or none at all.
    ///
    /// - Returns: The number deleted; nil if the service can only delete one record at a time.
    func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        failure = nil
        return try await repository.deleteAll(query, progress: progress)
    }

    func exportAll(
        to file: RecordFile<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await repository.exportAll(to: file, progress: progress)
    }
}
