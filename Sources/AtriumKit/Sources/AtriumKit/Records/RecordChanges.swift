/// New values for some fields of a record.
public struct RecordChanges<Item: Record>: Hashable, Sendable {
    private var values = Item()
    private var names: Set<String> = []
    /// The record as it was read: changes of the same fields by others since then are a conflict; nil for no
    /// such check.
    public let base: Item?

    /// Creates changes without a field.
    public init() { base = nil }

    /// The fields in which `record` differs from `base`, as it was read.
    public init(to record: Item, from base: Item) {
        (values, self.base) = (record, base)
        names = Set(record.changes(from: base).map(\.name))
    }

    /// The values of some fields of a record.
    public init(_ record: Item, fields: Set<String>) {
        (values, names, base) = (record, fields, nil)
    }

    /// The changed fields, in the order of their declaration.
    public var fields: [RecordField<Item>] { Item.fields.all.filter { names.contains($0.name) } }
    public var isEmpty: Bool { names.isEmpty }

    /// Sets a field to typed text.
    ///
    /// - Throws: ``ValidationError`` if the text can't be its value.
    public mutating func set(_ name: String, to text: String) throws {
        try Item.fields.field(name, among: Item.fields.editable).set(&values, to: text)
        names.insert(name)
    }

    /// Returns a record with the new values.
    public func applied(to record: Item) -> Item {
        var changed = record
        for field in fields { field.copy(from: values, to: &changed) }
        return changed
    }

    /// Returns the rules that the new values break.
    func validate() -> [ValidationFinding] { fields.flatMap { $0.findings(in: values) } }

    /// Returns the record with the new values, for a service that has read it.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile`.
    public func checkedAndApplied(to record: Item) throws -> Item {
        if let base {
            // Also if it has the new value already: of two that each lend the last copy, one is too late.
            let lost = fields.filter { !$0.isEqual(record, base) }
            guard lost.isEmpty else {
                throw ServiceError.changedMeanwhile(Item.fields.noun, lost.map(\.name))
            }
        }
        return applied(to: record)
    }
}

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
        /// Shows `provisional`, with a negative id, until the record is created.
        case create(Item, provisional: Item)
        case update(Int, RecordChanges<Item>)
        case delete(Int)

        var recordID: Int {
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

    var recordID: Int { kind.recordID }
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
    /// The number of records created at once.
    case imported(Int)
}

/// A change that is no longer pending.
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

    /// The id of the changed record; negative for one to be created.
    var recordID: Int { kind.recordID }

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

    var id: Int { record.id }

    /// The id given by the service; nil while the record is being created.
    var knownID: Int? { id > 0 ? id : nil }

    /// The row while `change` is pending; nil if the change removes it.
    func during(_ change: PendingChange<Item>) -> RecordRow? {
        switch change.kind {
        case .delete where change.isOptimistic: nil
        case .update(_, let changes): RecordRow(changes.applied(to: record), status: change.kind.status)
        default: RecordRow(record, status: change.kind.status)
        }
    }
}
