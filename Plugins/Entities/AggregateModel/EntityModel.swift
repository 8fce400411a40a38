import AtriumKit
import Observation

/// Makes every change of entities, and sends it to all screens.
///
/// Screens overlay the service's last answer with the pending changes, so a change is visible before it is
/// answered, and a failure leaves nothing to undo.
///
/// Changes of one entity are made one at a time, in the order of the commands. A cancelled command stops
/// waiting for its change, which is made anyway. The screens keep the entities, not the model.
@MainActor
@Observable
final class EntityModel {
    private(set) var pending: [PendingChange] = []
    private(set) var failure: FailedChange?

    /// Receives each change once, in the same turn as it stops being pending.
    @ObservationIgnored let settled = ObserverList<SettledChange>()
    @ObservationIgnored private var promises: [PendingChange.ID: Promise<Entity>] = [:]
    @ObservationIgnored private var handlers: [PendingChange.ID: Handler] = [:]
    @ObservationIgnored private var lastNumber = 0
    @ObservationIgnored private var changedMeanwhile: Set<Int> = []
    @ObservationIgnored let repository: EntityRepository

    typealias Handler = @MainActor (Result<Entity, any Error>) -> Void

    init(repository: EntityRepository) { self.repository = repository }

    var pendingNumbers: Set<PendingChange.ID> { Set(pending.map(\.id)) }

    func pending(of id: Int) -> [PendingChange] { pending.filter { $0.entityID == id } }

    // MARK: - Changes of one entity

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await beginCreating(draft).value()
    }

    /// Creates an entity without waiting for it.
    // architecture: allow completion-handler, because a form ends in the turn in which the change ends
    func beginCreating(_ draft: EntityDraft, handler: Handler? = nil) throws -> Promise<Entity> {
        failure = nil
        try ValidationError.check(draft.validate())
        let provisional = repository.provisional(draft, id: -lastNumber - 1)
        return begin(.create(draft, provisional: provisional), handler: handler)
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        failure = nil
        try repository.check(id, changes)
        guard id > 0 || pending(of: id).isEmpty else { throw ServiceError.isBeingCreated }
        return try await begin(.update(id, changes)).value()
    }

    /// Deletes an entity; it is removed from the screens at once, or after the service has answered.
    func delete(_ id: Int, optimistically isOptimistic: Bool = true) async throws -> Entity {
        failure = nil
        guard id > 0 || pending(of: id).isEmpty else { throw ServiceError.isBeingCreated }
        return try await begin(.delete(id), isOptimistic: isOptimistic).value()
    }

    private func begin(
        // architecture: allow completion-handler, because a form ends in the turn in which the change ends
        _ kind: PendingChange.Kind, isOptimistic: Bool = true, handler: Handler? = nil
    ) -> Promise<Entity> {
        lastNumber += 1
        let change = PendingChange(id: lastNumber, kind: kind, isOptimistic: isOptimistic)
        let promise = Promise<Entity>()
        (promises[change.id], handlers[change.id]) = (promise, handler)
        pending.append(change)
        sendNext(of: change.entityID)
        return promise
    }

    /// Sends the first change of an entity to the service, unless it was sent already.
    private func sendNext(of id: Int) {
        guard let index = pending.firstIndex(where: { $0.entityID == id }), !pending[index].isSent
        else { return }
        pending[index].isSent = true
        let change = pending[index]
        // architecture: allow unowned-task, because a cancelled command must not lose the change
        Task.immediate {
            let result: Result<Entity, any Error>
            do { result = .success(try await self.make(change)) } catch { result = .failure(error) }
            self.settle(change, result)
        }
    }

    private func make(_ change: PendingChange) async throws -> Entity {
        switch change.kind {
        case .create(let draft, _): try await repository.create(draft)
        case .update(let id, let changes): try await repository.update(id, changes)
        case .delete(let id): try await repository.delete(id)
        }
    }

    /// Removes a pending change and shows its result, in one turn.
    private func settle(_ change: PendingChange, _ result: Result<Entity, any Error>) {
        let promise = promises.removeValue(forKey: change.id)
        pending.removeAll { $0.id == change.id }
        switch result {
        case .success(let entity):
            let isLatest = change.kind.command != .create || !changedMeanwhile.contains(entity.id)
            note(change, of: entity)
            settled.send(
                SettledChange(
                    id: change.id, change: isLatest ? change.kind.change(of: entity) : nil,
                    mayHaveChanged: !isLatest))
        case .failure(let error):
            failure = FailedChange(
                kind: change.kind, reason: LoadFailure(error), wasAwaited: (promise?.waiterCount ?? 0) > 0)
            settled.send(SettledChange(id: change.id, change: nil, mayHaveChanged: error.mayHaveChanged))
        }
        handlers.removeValue(forKey: change.id)?(result)
        promise?.settle(result)
        sendNext(of: change.entityID)
    }

    /// Records entities changed during a creation: the new entity may have been listed, and changed or
    /// deleted, before its creation is answered.
    private func note(_ change: PendingChange, of entity: Entity) {
        guard pending.contains(where: { $0.kind.command == .create }) else { return changedMeanwhile = [] }
        if change.kind.command != .create { changedMeanwhile.insert(entity.id) }
    }
}

// MARK: - Many at once

extension EntityModel {
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        failure = nil
        do {
            let count = try await repository.importEntities(from: file, progress: progress)
            settled.send(SettledChange(id: nil, change: .imported(count)))
            return count
        } catch let error where error.mayHaveChanged {
            settled.send(SettledChange(id: nil, change: nil, mayHaveChanged: true))
            throw error
        }
    }

    /// Deletes every entity that passes the filter of a list, or none at all.
    ///
    /// - Returns: The number deleted; nil if the service can only delete one entity at a time.
    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int? {
        failure = nil
        do {
            let count = try await repository.deleteAll(query, progress: progress)
            if count != nil { settled.send(SettledChange(id: nil, change: nil, mayHaveChanged: true)) }
            return count
        } catch let error where error.mayHaveChanged {
            settled.send(SettledChange(id: nil, change: nil, mayHaveChanged: true))
            throw error
        }
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await repository.exportEntities(to: file, progress: progress)
    }
}
