/// A change of one record that the service has not answered yet.
struct PendingChange<Item: Record>: Identifiable, Hashable, Sendable {
    /// The number of the change in its model, from 1.
    let id: Int
    let kind: Kind
    /// True if the effect is shown at once, and undone after a failure; otherwise after the answer.
    let isOptimistic: Bool
    /// True if it was sent to the service; otherwise an earlier change of the same record comes first.
    var isSent = false

    enum Kind: Hashable, Sendable {
        /// Shows `provisional`, with a provisional id, until the record is created.
        case create(Item, provisional: Item)
        case update(Item.ID, RecordChanges<Item>)
        case delete(Item.ID)

        var recordID: Item.ID {
            switch self {
            case .create(_, let provisional): provisional.id
            case .update(let id, _), .delete(let id): id
            }
        }

        var command: RecordCommand {
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

        func change(of record: Item) -> RecordChange<Item> {
            switch self {
            case .create: .created(record)
            case .update: .updated(record)
            case .delete: .deleted(record)
            }
        }
    }

    var recordID: Item.ID { kind.recordID }
}

/// The state of a record while a change of it is not answered.
public enum ChangeStatus: String, Hashable, Sendable {
    case creating, updating, deleting
}

/// A completed change, as the service answered it.
enum RecordChange<Item: Record>: Hashable, Sendable {
    case created(Item)
    case updated(Item)
    case deleted(Item)
}

struct SettledChange<Item: Record>: Sendable, Hashable {
    /// The number of the pending change; nil if it was never pending.
    let id: Int?
    /// The completed change; nil if it failed, or the outcome is unknown.
    let change: RecordChange<Item>?
    var mayHaveChanged = false
}

struct FailedChange<Item: Record>: Sendable, Equatable {
    let kind: PendingChange<Item>.Kind
    let reason: LoadFailure
    let wasAwaited: Bool

    /// The id of the changed record; provisional for one being created.
    var recordID: Item.ID { kind.recordID }

    var message: String { kind.command.failure(Item.fields.noun) + ": " + reason.message }
}

/// A record as shown on a screen: with its pending changes.
struct RecordRow<Item: Record>: Identifiable, Hashable, Sendable {
    let record: Item
    let status: ChangeStatus?

    init(_ record: Item, status: ChangeStatus? = nil) {
        self.record = record
        self.status = status
    }

    var id: Item.ID { record.id }

    /// The row while `change` is pending; nil if the change removes it.
    func during(_ change: PendingChange<Item>) -> RecordRow? {
        switch change.kind {
        case .delete where change.isOptimistic: nil
        case .update(_, let changes): RecordRow(changes.applied(to: record), status: change.kind.status)
        default: RecordRow(record, status: change.kind.status)
        }
    }
}
