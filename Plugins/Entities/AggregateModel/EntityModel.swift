import AtriumKit
import Observation

/// Makes every change of entities, and tells all screens of it.
///
/// Where that is safe a change is shown before it is answered. What a screen shows is what the service answered
/// last, with the pending changes laid over it; a change that fails is taken off again. So there is nothing to
/// put back, and no index to go wrong.
///
/// Changes of one entity are made one after the other, in the order in which they were asked for. A change
/// that was asked for is made whatever becomes of the command: who is cancelled only stops waiting for it.
/// Entities are kept by the screens that show them, not here.
@MainActor
@Observable
final class EntityModel {
    /// The changes that are not answered, in the order in which they were asked for.
    private(set) var pending: [PendingChange] = []
    /// Why the last change failed; nil since the next one was asked for.
    private(set) var failure: FailedChange?

    /// Those who are told of each change that was made or came to nothing.
    ///
    /// Once, in the turn in which it is no longer pending.
    @ObservationIgnored let settled = ObserverList<SettledChange>()
    @ObservationIgnored private var outcomes: [PendingChange.ID: Outcome<Entity>] = [:]
    @ObservationIgnored private var lastNumber = 0
    /// The entities that changed while some were being created: an answer to a creation may be older.
    @ObservationIgnored private var changedMeanwhile: Set<Int> = []
    @ObservationIgnored let repository: EntityRepository

    init(repository: EntityRepository) {
        self.repository = repository
    }

    /// The numbers of the changes that are not answered.
    var pendingNumbers: Set<PendingChange.ID> { Set(pending.map(\.id)) }

    /// The changes of one entity that are not answered.
    func pending(of id: Int) -> [PendingChange] {
        pending.filter { $0.entityID == id }
    }

    // MARK: - Changes of one entity

    /// Creates an entity.
    ///
    /// - Throws: ``ValidationError`` before anything is shown or asked for; else why it was not created.
    func create(
        _ draft: EntityDraft, _ policy: ChangePolicy = .usual(for: .create)
    ) async throws -> Entity {
        try await beginCreating(draft, policy).value()
    }

    /// Creates an entity, without waiting for it.
    ///
    /// - Throws: ``ValidationError``.
    func beginCreating(
        _ draft: EntityDraft, _ policy: ChangePolicy = .usual(for: .create)
    ) throws -> Outcome<Entity> {
        failure = nil
        try ValidationError.check(draft.validate())
        let provisional = repository.provisional(draft, id: -lastNumber - 1)
        return begin(.create(draft, provisional: provisional), policy)
    }

    /// Changes an entity.
    ///
    /// - Throws: ``ValidationError`` or ``EntityError/nothingToChange(_:)`` before anything is shown or asked
    ///   for; else why it was not changed.
    func update(
        _ id: Int, _ changes: EntityChanges, _ policy: ChangePolicy = .usual(for: .update)
    ) async throws -> Entity {
        failure = nil
        try repository.check(id, changes)
        guard id > 0 || pending(of: id).isEmpty else { throw EntityError.isBeingCreated }
        return try await begin(.update(id, changes), policy).value()
    }

    /// Deletes an entity.
    ///
    /// - Returns: The entity as it was.
    /// - Throws: Why it was not deleted.
    func delete(_ id: Int, _ policy: ChangePolicy = .usual(for: .delete)) async throws -> Entity {
        failure = nil
        guard id > 0 || pending(of: id).isEmpty else { throw EntityError.isBeingCreated }
        return try await begin(.delete(id), policy).value()
    }

    private func begin(_ kind: PendingChange.Kind, _ policy: ChangePolicy) -> Outcome<Entity> {
        lastNumber += 1
        let change = PendingChange(id: lastNumber, kind: kind, policy: policy)
        let outcome = Outcome<Entity>()
        outcomes[change.id] = outcome
        pending.append(change)
        sendNext(of: change.entityID)
        return outcome
    }

    /// Asks for the first change of an entity, unless that was asked for already.
    private func sendNext(of id: Int) {
        guard let index = pending.firstIndex(where: { $0.entityID == id }), !pending[index].isSent
        else { return }
        pending[index].isSent = true
        let change = pending[index]
        // A task of its own: the command that asked may be cancelled, the change may not be lost.
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

    /// Takes a change off, and shows what was made; in one turn, so that nobody sees neither or both.
    private func settle(_ change: PendingChange, _ result: Result<Entity, any Error>) {
        let outcome = outcomes.removeValue(forKey: change.id)
        pending.removeAll { $0.id == change.id }
        switch result {
        case .success(let entity):
            let isLatest = change.kind.command != .create || !changedMeanwhile.contains(entity.id)
            note(change, of: entity)
            settled.send(
                SettledChange(
                    id: change.id, change: isLatest ? change.made(entity) : nil, mayHaveChanged: !isLatest))
        case .failure(let error):
            failure = FailedChange(
                kind: change.kind, reason: LoadFailure(error), wasAwaited: outcome?.isAwaited ?? false)
            settled.send(SettledChange(id: change.id, change: nil, mayHaveChanged: error.mayHaveChanged))
        }
        outcome?.settle(result)
        sendNext(of: change.entityID)
    }
}

// MARK: - An answer that comes late

extension EntityModel {
    /// Remembers what changed while the answer to a creation is on its way: somebody may have listed the new
    /// entity, and changed or deleted it, before that arrives.
    private func note(_ change: PendingChange, of entity: Entity) {
        guard pending.contains(where: { $0.kind.command == .create }) else { return changedMeanwhile = [] }
        if change.kind.command != .create { changedMeanwhile.insert(entity.id) }
    }
}

// MARK: - Many at once

extension EntityModel {
    /// Creates an entity for each row of a file, or none at all; nothing is shown before that is done.
    ///
    /// - Parameters:
    ///   - file: What is read.
    ///   - progress: Told how many rows are done; from any thread.
    /// - Returns: How many were created.
    /// - Throws: ``EntityFileError``, or why the service did not create them.
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

    /// Writes every entity into a file; see ``EntityRepository/exportEntities(to:progress:)``.
    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await repository.exportEntities(to: file, progress: progress)
    }
}

extension PendingChange {
    /// What was made, as the service answered.
    func made(_ entity: Entity) -> EntityChange {
        switch kind {
        case .create: .created(entity)
        case .update: .updated(entity)
        case .delete: .deleted(entity)
        }
    }
}
