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
        /// An entity is created; `provisional` is shown for it meanwhile, under an id below 0.
        case create(EntityDraft, provisional: Entity)
        case update(Int, EntityChanges)
        case delete(Int)

        /// The entity that changes.
        var entityID: Int {
            switch self {
            case .create(_, let provisional): provisional.id
            case .update(let id, _), .delete(let id): id
            }
        }

        /// What is done.
        var command: EntityCommand {
            switch self {
            case .create: .create
            case .update: .update
            case .delete: .delete
            }
        }
    }

    /// The entity that changes.
    var entityID: Int { kind.entityID }

    /// What a screen says of an entity that it concerns.
    var mark: PendingMark {
        switch kind {
        case .create: .creating
        case .update: .updating
        case .delete: .deleting
        }
    }
}

/// What is happening to an entity, in a word that stands beside it.
enum PendingMark: String, Hashable, Sendable {
    case creating, updating, deleting
}
