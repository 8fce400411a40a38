import AtriumKit

/// A change of one entity that the service has not answered yet.
struct PendingChange: Identifiable, Hashable, Sendable {
    /// The number of the change in its model, from 1.
    let id: Int
    let kind: Kind
    /// True if the effect is shown at once, and undone after a failure; otherwise after the answer.
    let isOptimistic: Bool
    /// True if it was sent to the service; otherwise an earlier change of the same entity comes first.
    var isSent = false

    enum Kind: Hashable, Sendable {
        /// Shows `provisional`, with a negative id, until the entity is created.
        case create(EntityDraft, provisional: Entity)
        case update(Int, EntityChanges)
        case delete(Int)

        var entityID: Int {
            switch self {
            case .create(_, let provisional): provisional.id
            case .update(let id, _), .delete(let id): id
            }
        }

        var command: EntityCommand {
            switch self {
            case .create: .create
            case .update: .update
            case .delete: .delete
            }
        }

        var status: ChangeStatus {
            switch self {
            case .create: .creating
            case .update: .updating
            case .delete: .deleting
            }
        }

        func change(of entity: Entity) -> EntityChange {
            switch self {
            case .create: .created(entity)
            case .update: .updated(entity)
            case .delete: .deleted(entity)
            }
        }
    }

    var entityID: Int { kind.entityID }
}

enum ChangeStatus: String, Hashable, Sendable {
    case creating, updating, deleting
}

/// A completed change, as the service answered it.
enum EntityChange: Hashable, Sendable {
    case created(Entity)
    case updated(Entity)
    case deleted(Entity)
    /// The number of entities created at once.
    case imported(Int)
}

/// A change that is no longer pending.
struct SettledChange: Sendable, Hashable {
    /// The number of the pending change; nil if it was never pending.
    let id: PendingChange.ID?
    /// The completed change; nil if it failed, or the outcome is unknown.
    let change: EntityChange?
    var mayHaveChanged = false
}

struct FailedChange: Sendable, Equatable {
    let kind: PendingChange.Kind
    let reason: LoadFailure
    let wasAwaited: Bool

    /// The id of the changed entity; negative for one to be created.
    var entityID: Int { kind.entityID }

    var message: String { kind.command.failure + ": " + reason.message }
}

/// An entity as shown on a screen: with its pending changes.
struct EntityRow: Identifiable, Hashable, Sendable {
    let entity: Entity
    let status: ChangeStatus?

    init(_ entity: Entity, status: ChangeStatus? = nil) {
        self.entity = entity
        self.status = status
    }

    var id: Int { entity.id }

    /// The id given by the service; nil while the entity is being created.
    var knownID: Int? { id > 0 ? id : nil }

    /// The row while `change` is pending; nil if the change removes it.
    func during(_ change: PendingChange) -> EntityRow? {
        switch change.kind {
        case .delete where change.isOptimistic: nil
        case .update(_, let changes): EntityRow(changes.applied(to: entity), status: change.kind.status)
        default: EntityRow(entity, status: change.kind.status)
        }
    }
}
