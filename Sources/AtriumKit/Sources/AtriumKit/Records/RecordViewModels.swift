public import Observation

/// A screen with a list of records.
@MainActor
public final class RecordListViewModel<Item: Record>: ViewModel {
    public let list: RecordList<Item>
    /// The progress of an import, an export or a deletion; nil without one.
    public private(set) var transfer: Progress? {
        get { observedTransfer }
        set { observedTransfer = newValue }
    }
    @Signalled private var observedTransfer: Progress? = nil
    /// The last record created in the form, until another list is shown.
    @Signalled private var created: Item? = nil
    public let model: RecordModel<Item>
    public let navigator: any Navigator

    /// Creates the view model of a destination.
    public init(
        _ destination: RecordListDestination<Item>, model: RecordModel<Item>, navigator: any Navigator,
        viewport: ViewportMonitor? = nil
    ) {
        list = RecordList(destination, model: model, viewport: viewport)
        self.model = model
        self.navigator = navigator
    }

    /// The records; for further actions.
    public var repository: RecordRepository<Item> { model.repository }

    /// The record created in the form, if the page does not show it.
    func createdElsewhere(among rows: [Item]) -> Item? {
        created.flatMap { created in rows.contains { $0.id == created.id } ? nil : created }
    }

    /// The last change, if it failed after its command was cancelled.
    var failure: FailedChange<Item>? { model.failure.flatMap { $0.wasAwaited ? nil : $0 } }

    /// Loads the list.
    public func load() async throws { try await load(reloads: false) }

    private func load(reloads: Bool) async throws {
        try await list.load(reloads: reloads)
        guard let created else { return }
        let present = try await present(created.id)
        // Another page may have been shown meanwhile.
        if self.created?.id == created.id { self.created = present }
    }

    func show(_ destination: RecordListDestination<Item>, reloads: Bool = false) async throws -> ActionResult
    {
        try await turning { try await list.show(destination, reloads: reloads) }
    }

    func next() async throws -> ActionResult { try await turning { try await list.next() } }
    func previous() async throws -> ActionResult { try await turning { try await list.previous() } }

    private func turning(_ turn: () async throws -> Void) async throws -> ActionResult {
        try await turn()
        created = nil
        return .updated
    }

    func more() async throws -> ActionResult {
        try await list.more()
        return .updated
    }

    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    func create(_ values: ArgumentValues) async throws -> ActionResult {
        var record = Item()
        try record.set(values)
        do {
            let created = try await model.create(record)
            return .show(RecordDestination<Item>(id: created.id), "Created '\(created.recordName)'.")
        } catch let error where error.changeOutcome == .made {
            return .made("Created '\(record.recordName)'.", notShown: error)
        }
    }
}

extension RecordListViewModel: Observable {}

// MARK: - Results of other screens

extension RecordListViewModel {
    private static var createdSlot: ResultSlot<Int> { ResultSlot("created") }

    func createInForm() async throws -> ActionResult {
        let id = try await navigator.present(NewRecordDestination<Item>(), for: Self.createdSlot)
        if let id { try await showCreated(id) }
        return .updated
    }

    /// Lists the records with a value that is chosen on another screen.
    func filter(_ name: String) async throws -> ActionResult {
        let field = try Item.fields.field(name, among: Item.fields.filtered)
        let chosen = try await navigator.present(field.valuesScreen, for: field.chosenSlot)
        guard let chosen else { return .updated }
        return try await turning { try await list.show(only: chosen, of: name) }
    }

    /// Receives a result that arrived after the process that asked for it had ended.
    public func receive(_ result: ReturnedResult) async throws {
        if let id = try result.value(in: Self.createdSlot) { try await showCreated(id) }
        for field in Item.fields.filtered {
            guard let value = try result.value(in: field.chosenSlot) else { continue }
            _ = try await turning { try await list.show(only: value, of: field.name) }
        }
    }

    private func showCreated(_ id: Int) async throws {
        try await load(reloads: false)
        created = try await repository.shown(id).value
    }

    private func present(_ id: Int) async throws -> Item? {
        do {
            return try await repository.shown(id).value
        } catch let error as ServiceError where error.code == .notFound {
            return nil
        }
    }
}

extension RecordField {
    /// The slot for a value of the field that is chosen on another screen.
    fileprivate var chosenSlot: ResultSlot<String> { ResultSlot("chosen-\(name)") }
}

// MARK: - Many at once

extension RecordListViewModel {
    var deletionQuestion: String? {
        let total = list.listing.total
        guard total > 0 else { return nil }
        let limits = list.query.isLimited ? " \(list.query.conditions)" : ""
        let what =
            total == 1 ? "the only \(Item.fields.noun.singular)" : "all \(Item.fields.noun.counted(total))"
        return "Delete \(what)\(limits)?"
    }

    /// Deletes records by their ids.
    func delete(ids texts: [String]) async throws -> ActionResult {
        let ids = texts.map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let wrong = zip(texts, ids).filter { $0.1 == nil }.map(\.0)
        try ValidationError.check(
            wrong.map {
                ValidationFinding(
                    "'\($0.excerpt)' is not the id of \(Item.fields.noun.withArticle).", field: "ids")
            })
        var seen: Set<Int> = []
        return try await delete(ids.compactMap { $0 }.filter { seen.insert($0).inserted })
    }

    func deleteAll() async throws -> ActionResult {
        let query = list.query
        let count = try await transferring("Deleting \(Item.fields.noun.counted(list.total))") { [model] in
            try await model.deleteAll(query, progress: $0)
        }
        if let count {
            return await .made(
                count > 0 ? "Deleted \(Item.fields.noun.counted(count))." : Self.nothingToDelete
            ) {
                try await load()
            }
        }
        let ids = try await model.ids(of: query)
        guard !ids.isEmpty else { return .updated(Self.nothingToDelete) }
        return try await delete(ids)
    }

    private static var nothingToDelete: String { "There is nothing to delete." }

    private func delete(_ ids: [Int]) async throws -> ActionResult {
        let label = "Deleting \(Item.fields.noun.counted(ids.count))"
        let deletions = try await transferring(label) { [model] progress in
            await model.delete(ids, progress: progress)
        }
        let summary: String
        do {
            summary = try deletions.summary()
        } catch {
            // Fill the page up again; a failure appears when the list is next shown.
            if !deletions.isCancelled { try? await load() }
            throw error
        }
        return await .made(summary) { try await load() }
    }

    func importFile(_ path: String, _ format: RecordFileFormat?) async throws -> ActionResult {
        let file = try RecordFile<Item>(path, format: format)
        let count: Int
        do {
            count = try await transferring("Importing \(path)") { [model] in
                try await model.importAll(from: file, progress: $0)
            }
        } catch let error where error.changeOutcome == .made {
            return .made("Imported the \(Item.fields.noun.plural) from '\(path)'.", notShown: error)
        }
        return await .made("Imported \(Item.fields.noun.counted(count)) from '\(path)'.") { try await load() }
    }

    func exportFile(
        _ path: String, _ format: RecordFileFormat?, replaces: Bool, isComplete: Bool
    ) async throws -> ActionResult {
        var file = try RecordFile<Item>(path, format: format)
        (file.isReplaced, file.isComplete) = (replaces, isComplete)
        let count = try await transferring("Exporting to \(path)") { [model, file] in
            try await model.exportAll(to: file, progress: $0)
        }
        return .updated("Exported \(Item.fields.noun.counted(count)) to '\(path)'.")
    }

    /// Shows the progress of `work`, which calls its argument with the number of records done; one at a time.
    private func transferring<Value>(
        _ label: String, _ work: (@escaping @Sendable (Int) -> Void) async throws -> Value
    ) async throws -> Value {
        guard transfer == nil else { throw ServiceError.transferUnderWay() }
        transfer = Progress("transfer", label: label, completed: 0)
        defer { transfer = nil }
        let relay = ProgressRelay { [weak self] count in
            if let self, transfer != nil { transfer = Progress("transfer", label: label, completed: count) }
        }
        return try await work { relay.send($0) }
    }
}

extension RecordListViewModel {
    /// The shown list; kept with the stack entry.
    public var savedState: RecordListState<Item> { list.savedState }
    public func restore(_ state: RecordListState<Item>) { list.restore(state) }
    public var shownDestination: (any Destination)? { list.destination(onPage: list.query.page) }
}

/// A screen with one record: the service's last answer, with the changes that are not answered.
@MainActor
public final class RecordViewModel<Item: Record>: ViewModel {
    public let id: Int
    @Signalled private var answer: Item? = nil
    /// The time when the record was seen, if the service could not be reached.
    public private(set) var asOf: Timestamp? {
        get { seen }
        set { seen = newValue }
    }
    @Signalled private var seen: Timestamp? = nil
    public let model: RecordModel<Item>
    public let navigator: any Navigator
    private var changes = 0

    public init(id: Int, model: RecordModel<Item>, navigator: any Navigator) {
        self.id = id
        self.model = model
        self.navigator = navigator
        model.settled.add(self) { $0.apply($1) }
        model.repository.outsideChanges.reload(
            self, where: { $0.answer != nil && $1.concerns("\($0.id)") }
        ) { try await $0.load() }
    }

    /// The records; for further actions.
    public var repository: RecordRepository<Item> { model.repository }

    var row: RecordRow<Item>? {
        let pending = model.pending
        let row = answer.map { RecordRow($0) }
        if pending.isEmpty { return row }
        return pending.reduce(row) { $1.recordID == id ? $0?.during($1) : $0 }
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
            // A change answered meanwhile is newer.
            if count == changes { (answer, asOf) = (found.value, found.asOf) }
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

/// A screen with the form of a record.
@MainActor
@Observable
public final class RecordFormViewModel<Item: Record>: ViewModel {
    public let form: RecordForm<Item>
    @ObservationIgnored private let navigator: any Navigator

    /// Creates the view model; without an id for a new record.
    public init(id: Int?, model: RecordModel<Item>, navigator: any Navigator) {
        form = RecordForm(id, model: model)
        self.navigator = navigator
    }

    /// Loads the record being edited.
    public func load() async throws { try await form.load() }

    func set(_ name: String, to text: String) throws -> ActionResult {
        try form.set(name, to: text)
        return .updated("Set the \(Item.fields[name]?.label.lowercased() ?? name).")
    }

    /// Sets a field to a value that is chosen on another screen.
    func choose(_ field: RecordField<Item>) async throws -> ActionResult {
        let chosen = try await navigator.present(field.valuesScreen, for: field.chosenSlot)
        guard let chosen else { return .updated }
        return try set(field.name, to: chosen)
    }

    /// Receives a choice made after the process that asked for it had ended.
    public func receive(_ result: ReturnedResult) async throws {
        for field in Item.fields.filtered {
            if let value = try result.value(in: field.chosenSlot) { _ = try set(field.name, to: value) }
        }
    }

    func save() async throws -> ActionResult {
        let saved = try await form.save()
        let destination = RecordDestination<Item>(id: saved.id)
        guard form.id == nil else { return .leave("Saved '\(saved.recordName)'.", showing: destination) }
        return try .leave("Created '\(saved.recordName)'.", returning: saved.id, showing: destination)
    }

    func reset() throws -> ActionResult {
        try form.reset()
        if form.isGone {
            return .leave("The \(Item.fields.noun.singular) is gone.", showing: RecordListDestination<Item>())
        }
        return .updated(form.id == nil ? "The form is empty." : "The form shows what is stored.")
    }
}

extension RecordFormViewModel {
    public var savedState: RecordInput? { form.savedState }
    public func restore(_ state: RecordInput?) { form.restore(state) }
    public var leaveObjections: [LeaveObjection] { form.leaveObjections }
}

/// A screen with the values of a field, to choose one of them.
@MainActor
@Observable
final class RecordValuesViewModel<Item: Record>: ViewModel {
    let field: RecordField<Item>
    private(set) var list: RecordValues?
    private(set) var asOf: Timestamp?
    @ObservationIgnored private let query: RecordValuesQuery
    @ObservationIgnored private let repository: RecordRepository<Item>

    init(_ field: RecordField<Item>, _ query: RecordValuesQuery, repository: RecordRepository<Item>) {
        (self.field, self.query, self.repository) = (field, query, repository)
    }

    var rows: [RecordFieldValue] { list?.rows ?? [] }
    var unlisted: Int { (list?.total ?? 0) - rows.count }

    func load() async throws {
        let answer = try await repository.shown(query)
        (list, asOf) = (answer.value, answer.asOf)
    }

    /// Returns a value, in any case, listed or not, to the screen that presented the list.
    func choose(_ text: String) async throws -> ActionResult {
        let value = try await spelling(of: text)
        var destination = RecordListDestination<Item>()
        destination.filters[field.name] = value
        return try .leave(returning: value, showing: destination)
    }

    /// The stored spelling of a value, or that of a listed one if the service can't be reached.
    private func spelling(of text: String) async throws -> String {
        let nearest = NearestName.of(text, among: rows.map(\.name))
        do {
            return try await repository.spelling(of: text, in: field, nearest: nearest)
        } catch let error where error.isOffline {
            let key = SearchKey.of(text.trimmed)
            guard let row = rows.first(where: { SearchKey.of($0.name) == key }) else { throw error }
            return row.name
        }
    }
}

extension Record {
    /// Sets the fields for which there are arguments.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    mutating func set(_ values: ArgumentValues) throws {
        var changes = RecordChanges<Self>()
        try changes.set(values)
        self = changes.applied(to: self)
    }
}

extension RecordChanges {
    /// Sets the fields for which there are arguments.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    mutating func set(_ values: ArgumentValues) throws {
        var findings: [ValidationFinding] = []
        for field in Item.fields.editable {
            guard let text = values[field.name] else { continue }
            do { try set(field.name, to: text) } catch let error as ValidationError {
                findings += error.findings
            }
        }
        try ValidationError.check(findings)
    }
}
