public import Observation

/// A screen with one record: the service's last answer, with the changes that are not answered.
@MainActor
public final class RecordViewModel<Item: Record>: ViewModel {
    public let id: Item.ID
    @Signalled private var answer: Item? = nil
    /// The time when the record was seen, if the service could not be reached.
    public private(set) var asOf: Timestamp? {
        get { seen }
        set { seen = newValue }
    }
    @Signalled private var seen: Timestamp? = nil
    /// True if another user has signed in since the record of a guarded screen was loaded; it is not shown.
    @Signalled private(set) var isOutdated = false
    public let model: RecordModel<Item>
    public let navigator: any Navigator
    private var changes = 0

    public init(id: Item.ID, model: RecordModel<Item>, navigator: any Navigator) {
        self.id = id
        self.model = model
        self.navigator = navigator
        model.settled.add(self) { $0.apply($1) }
        guard !Item.guards.isEmpty else { return }
        model.repository.userChanges.add(self) { viewModel, _ in
            // Also what is being loaded belongs to the former user.
            viewModel.set(nil)
            viewModel.isOutdated = true
        }
        model.repository.outsideChanges.reload(
            self, where: { $0.answer != nil && $1.concerns("\($0.id)") }
        ) { try await $0.load() }
    }

    /// The records; for further actions.
    public var repository: RecordRepository<Item> { model.repository }

    var row: RecordRow<Item>? {
        model.pending(of: id).reduce(answer.map { RecordRow($0) }) { $0?.during($1) }
    }

    /// The record; nil until it is loaded, and after it was deleted.
    public var record: Item? { row?.record }
    /// The change that is not answered.
    public var status: ChangeStatus? { row?.status }

    /// The last change of this record, if it failed after its command was cancelled.
    var failure: FailedChange<Item>? {
        model.failure.flatMap { $0.wasAwaited || $0.recordID != id ? nil : $0 }
    }

    /// Loads the record.
    public func load() async throws { try await load(reloads: false) }

    private func load(reloads: Bool) async throws {
        let count = changes
        do {
            let found = try await repository.shown(id, reloads: reloads)
            await model.names.load(for: [found.value])
            // A change answered meanwhile is newer.
            if count == changes { (answer, asOf, isOutdated) = (found.value, found.asOf, false) }
        } catch let error as ServiceError where error.code == .notFound {
            if count == changes { answer = nil }
            throw error
        }
    }

    private func apply(_ settled: SettledChange<Item>) {
        switch settled.change {
        case .created(let record) where record.id == id, .updated(let record) where record.id == id:
            set(record)
        case .deleted(let record) where record.id == id: set(nil)
        default: break
        }
    }

    private func set(_ record: Item?) {
        changes += 1
        (answer, asOf) = (record, nil)
    }

    // MARK: - Changes

    /// Changes the record as it is stored now; the sentence says what was done.
    public func update(_ message: String, _ change: (inout Item) throws -> Void) async throws -> ActionResult
    {
        let base = try await repository.record(id)
        var changed = base
        try change(&changed)
        let changes = RecordChanges(to: changed, from: base)
        guard !changes.isEmpty else { return .updated(message) }
        return try await update(changes) { _ in message }
    }

    private func update(
        _ changes: RecordChanges<Item>, _ message: (Item) -> String
    ) async throws -> ActionResult {
        do {
            return .updated(message(try await model.update(id, changes)))
        } catch let error where error.changeOutcome == .made {
            return await .made("Updated \(Item.fields.noun.singular) \(id).") {
                try await load(reloads: true)
            }
        }
    }

    func update(_ values: ArgumentValues) async throws -> ActionResult {
        var changes = RecordChanges<Item>()
        try changes.set(values)
        return try await update(changes) { "Updated '\($0.recordName)'." }
    }

    func set(_ name: String, to text: String) async throws -> ActionResult {
        var changes = RecordChanges<Item>()
        try changes.set(name, to: text)
        return try await update(changes) { "Updated '\($0.recordName)'." }
    }

    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    func edit() async throws -> ActionResult {
        try await navigator.push(EditRecordDestination<Item>(id: id))
        return .updated
    }

    func delete() async throws -> ActionResult {
        let deleted = try await model.delete(id)
        return .leave("Deleted '\(deleted.recordName)'.", showing: RecordListDestination<Item>())
    }
}

extension RecordViewModel: Observable {}
