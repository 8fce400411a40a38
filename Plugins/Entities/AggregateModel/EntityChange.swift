import AtriumKit

/// A change of one entity that the service has not answered yet.
struct PendingChange: Identifiable, Hashable, Sendable {
    /// Counts the changes of a model, from 1.
    let id: Int
    let kind: Kind
    let policy: ChangePolicy
    /// Whether the service was asked; else an earlier change of the same entity comes first.
    var isSent = false

    /// What is changed.
    enum Kind: Hashable, Sendable {
        /// `provisional` is shown until the entity is created, under an id below 0.
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

        /// The word that a screen shows beside the entity.
        var status: ChangeStatus {
            switch self {
            case .create: .creating
            case .update: .updating
            case .delete: .deleting
            }
        }

        /// The change that was made when the service answered with `entity`.
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

/// When the effect of a command is shown.
enum ChangePolicy: Hashable, Sendable, CaseIterable {
    /// At once, marked as pending; taken back if the change fails. For changes of one entity, which rarely fail.
    case optimistic
    /// After the service has answered; until then the entity stays as it is, marked as pending. For changes of
    /// many entities, and for those that would confuse people if they were taken back.
    case confirmed

    /// The default policy of a command.
    static func usual(for command: EntityCommand) -> ChangePolicy {
        switch command {
        // A deletion was confirmed by the person before.
        case .create, .update, .delete: .optimistic
        case .importing, .deleteAll: .confirmed
        // These change nothing.
        case .fetch, .exporting: .confirmed
        }
    }
}

/// What is happening to an entity, in a word.
enum ChangeStatus: String, Hashable, Sendable {
    case creating, updating, deleting
}

/// A change that was made, as the service answered it.
enum EntityChange: Hashable, Sendable {
    case created(Entity)
    case updated(Entity)
    case deleted(Entity)
    /// So many were created at once.
    case imported(Int)
}

/// A change that is no longer pending.
struct SettledChange: Sendable, Hashable {
    /// Its number; nil for one that never was pending.
    let id: PendingChange.ID?
    /// The change that was made; nil if it failed, or is not known.
    let change: EntityChange?
    var mayHaveChanged = false
}

/// A change that failed.
struct FailedChange: Sendable, Equatable {
    let kind: PendingChange.Kind
    let reason: LoadFailure
    let wasAwaited: Bool

    /// The entity that was to change; below 0 for one that was to be created.
    var entityID: Int { kind.entityID }

    var message: String { kind.command.failure + ": " + reason.message }
}

/// An entity as a screen shows it: with the changes that are not answered yet.
struct EntityRow: Identifiable, Hashable, Sendable {
    let entity: Entity
    /// nil if no change is pending.
    let status: ChangeStatus?

    init(_ entity: Entity, status: ChangeStatus? = nil) {
        self.entity = entity
        self.status = status
    }

    var id: Int { entity.id }

    /// The id that the service has given; nil for an entity that is being created.
    var knownID: Int? { id > 0 ? id : nil }

    /// The row while `change` is pending; nil if the change removes it.
    func during(_ change: PendingChange) -> EntityRow? {
        switch (change.kind, change.policy) {
        case (.delete, .optimistic): nil
        case (.update(_, let changes), .optimistic):
            EntityRow(changes.applied(to: entity), status: change.kind.status)
        default: EntityRow(entity, status: change.kind.status)
        }
    }
}
