public import Observation

/// A screen with a list of records.
@MainActor
@Observable
public final class RecordListViewModel<Item: Record>: ViewModel {
    public let list: RecordList<Item>
    /// The progress of an import or export; nil without one.
    public private(set) var transfer: Progress?
    /// The records; for further actions.
    @ObservationIgnored public let repository: RecordRepository<Item>
    @ObservationIgnored public let navigator: any Navigator

    /// Creates the view model of a destination.
    public init(
        _ destination: RecordListDestination<Item>, repository: RecordRepository<Item>,
        navigator: any Navigator
    ) {
        list = RecordList(destination.query, repository: repository)
        self.repository = repository
        self.navigator = navigator
    }

    /// Loads the list.
    public func load() async throws { try await list.load() }

    func show(_ destination: RecordListDestination<Item>) async throws -> ActionResult {
        try await list.show(destination.query)
        return .updated
    }

    func turn(by count: Int) async throws -> ActionResult {
        try await list.turn(by: count)
        return .updated
    }

    func refresh() async throws -> ActionResult {
        try await list.load()
        return .updated
    }

    /// Lists a value that is chosen on another screen.
    func filter(_ name: String) async throws -> ActionResult {
        _ = try Item.fields.field(name, among: Item.fields.filtered)
        let chosen = try await navigator.present(
            RecordValuesDestination<Item>(field: name), for: ResultSlot(Self.slot + name))
        guard let chosen else { return .updated }
        return try await show(name, chosen)
    }

    private static var slot: String { "chosen-" }

    private func show(_ name: String, _ value: String) async throws -> ActionResult {
        var query = list.query
        query.page = 1
        query.filters[name] = value
        try await list.show(query)
        return .updated
    }

    /// Receives a choice made after the process that asked for it had ended.
    public func receive(_ result: ReturnedResult) async throws {
        for field in Item.fields.filtered {
            if let value = try result.value(in: ResultSlot<String>(Self.slot + field.name)) {
                _ = try await show(field.name, value)
            }
        }
    }

    func openForm() async throws -> ActionResult {
        try await navigator.push(NewRecordDestination<Item>())
        return .updated
    }

    func create(_ values: ArgumentValues) async throws -> ActionResult {
        var record = Item()
        try record.set(values)
        let created = try await repository.create(record)
        return .show(RecordDestination<Item>(id: created.id), "Created '\(created.recordName)'.")
    }

    func delete(_ texts: [String]) async throws -> ActionResult {
        let ids = texts.map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let wrong = zip(texts, ids).filter { $0.1 == nil }.map(\.0)
        try ValidationError.check(
            wrong.map {
                ValidationFinding("'\($0.excerpt)' is not the id of \(Item.noun.withArticle).", field: "ids")
            })
        var deleted: [Item] = []
        for id in ids.compactMap(\.self) {
            do {
                deleted.append(try await repository.delete(id))
            } catch let error where !deleted.isEmpty {
                let failure = LoadFailure(error)
                throw ServiceError(
                    failure.code,
                    "Deleted \(Item.noun.counted(deleted.count)) of \(ids.count): \(failure.message)",
                    hint: failure.hint, cause: error)
            }
        }
        let what = deleted.count == 1 ? "'\(deleted[0].recordName)'" : Item.noun.counted(deleted.count)
        return await .made("Deleted \(what).") { try await list.load() }
    }
}

// MARK: - Files

extension RecordListViewModel {
    func importFile(_ path: String, _ format: RecordFileFormat?) async throws -> ActionResult {
        let file = try RecordFile<Item>(path, format: format)
        let count = try await transferring("Importing \(path)") {
            try await self.repository.importAll(file, progress: $0)
        }
        return await .made("Imported \(Item.noun.counted(count)) from '\(path)'.") { try await list.load() }
    }

    func exportFile(_ path: String, _ format: RecordFileFormat?, replaces: Bool) async throws -> ActionResult
    {
        let file = try RecordFile<Item>(path, format: format)
        let count = try await transferring("Exporting to \(path)") {
            try await self.repository.exportAll(file, replaces: replaces, progress: $0)
        }
        return .updated("Exported \(Item.noun.counted(count)) to '\(path)'.")
    }

    /// Shows the progress of `work`, which calls its argument with the number of records done.
    private func transferring(
        _ label: String, _ work: (@escaping @Sendable (Int) -> Void) async throws -> Int
    ) async throws -> Int {
        guard transfer == nil else {
            throw ServiceError(
                "transferUnderWay", "An import or export of this list is in progress.", hint: "jobs")
        }
        transfer = Progress("transfer", label: label, completed: 0)
        defer { transfer = nil }
        let relay = ProgressRelay { [weak self] count in
            if let self, transfer != nil { transfer = Progress("transfer", label: label, completed: count) }
        }
        return try await work { relay.send($0) }
    }
}

extension RecordListViewModel {
    /// The shown page; kept with the stack entry.
    public var savedState: RecordListDestination<Item> { RecordListDestination(list.query) }

    public func restore(_ state: RecordListDestination<Item>) { list.prepare(state.query) }

    public var shownDestination: (any Destination)? { RecordListDestination(list.query) }
}

/// A screen with one record.
@MainActor
@Observable
public final class RecordViewModel<Item: Record>: ViewModel {
    public let id: Int
    /// The record; nil until it is loaded.
    public private(set) var record: Item?
    /// The records; for further actions.
    @ObservationIgnored public let repository: RecordRepository<Item>
    @ObservationIgnored public let navigator: any Navigator

    public init(id: Int, repository: RecordRepository<Item>, navigator: any Navigator) {
        self.id = id
        self.repository = repository
        self.navigator = navigator
        repository.changes.reload(self, where: { $1.concerns("\($0.id)") }) { try await $0.load() }
    }

    /// Loads the record.
    public func load() async throws { record = try await repository.record(id) }

    /// Changes the record and stores it; the sentence says what was done.
    public func update(_ message: String, _ change: (inout Item) throws -> Void) async throws -> ActionResult
    {
        let base = try await repository.record(id)
        var changed = base
        try change(&changed)
        record = try await repository.update(changed, from: base)
        return .updated(message)
    }

    func set(_ values: ArgumentValues) async throws -> ActionResult {
        guard Item.fields.editable.contains(where: { values[$0.name] != nil }) else {
            throw ValidationError(
                findings: [ValidationFinding("There is nothing to change.")],
                hint: Item.fields.editable.first.map { "Add --\($0.name) followed by \($0.typeName)." })
        }
        return try await update("Saved the \(Item.noun.singular).") { try $0.set(values) }
    }

    func edit() async throws -> ActionResult {
        try await navigator.push(EditRecordDestination<Item>(id: id))
        return .updated
    }

    func delete() async throws -> ActionResult {
        let deleted = try await repository.delete(id)
        return .leave("Deleted '\(deleted.recordName)'.", showing: RecordListDestination<Item>())
    }
}

/// A screen with the form of a record.
@MainActor
@Observable
public final class RecordFormViewModel<Item: Record>: ViewModel {
    public let form: RecordForm<Item>
    @ObservationIgnored private let navigator: any Navigator

    /// Creates the view model; without an id for a new record.
    public init(id: Int?, repository: RecordRepository<Item>, navigator: any Navigator) {
        form = RecordForm(id, repository: repository)
        self.navigator = navigator
    }

    /// Loads the record being edited.
    public func load() async throws { try await form.load() }

    func set(_ name: String, to text: String) throws -> ActionResult {
        try form.set(name, to: text)
        return .updated("Set the \(Item.fields[name]?.label.lowercased() ?? name).")
    }

    /// Sets a field to a value that is chosen on another screen.
    func choose(_ name: String) async throws -> ActionResult {
        _ = try Item.fields.field(name, among: Item.fields.filtered)
        let chosen = try await navigator.present(
            RecordValuesDestination<Item>(field: name), for: ResultSlot(Self.slot + name))
        guard let chosen else { return .updated }
        return try set(name, to: chosen)
    }

    private static var slot: String { "chosen-" }

    /// Receives a choice made after the process that asked for it had ended.
    public func receive(_ result: ReturnedResult) async throws {
        for field in Item.fields.filtered {
            if let value = try result.value(in: ResultSlot<String>(Self.slot + field.name)) {
                _ = try set(field.name, to: value)
            }
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
public final class RecordValuesViewModel<Item: Record>: ViewModel {
    let field: String
    private(set) var state = LoadState<[String]>.loading
    @ObservationIgnored private let repository: RecordRepository<Item>

    public init(field: String, repository: RecordRepository<Item>) {
        self.field = field
        self.repository = repository
    }

    var values: [String] { state.value ?? [] }

    /// Loads the values.
    public func load() async throws { state = LoadState(try await repository.values(of: field)) }

    func choose(_ text: String) async throws -> ActionResult {
        try await load()
        let key = SearchKey.of(text.trimmed)
        guard let value = values.first(where: { SearchKey.of($0) == key }) else {
            throw ServiceError(
                .notFound, "No \(Item.noun.singular) has the \(field) '\(text.excerpt)'.",
                hint: NearestName.of(text, among: values).map { "Did you mean '\($0)'?" })
        }
        var query = RecordQuery<Item>()
        query.filters[field] = value
        return try .leave(returning: value, showing: RecordListDestination(query))
    }
}

extension Record {
    /// Sets the fields for which there are arguments.
    ///
    /// - Throws: ``ValidationError`` with all mistakes.
    mutating func set(_ values: ArgumentValues) throws {
        var findings: [ValidationFinding] = []
        for field in Self.fields.editable {
            guard let text = values[field.name] else { continue }
            do { try field.set(&self, to: text) } catch let error as ValidationError {
                findings += error.findings
            }
        }
        try ValidationError.check(findings)
    }
}
