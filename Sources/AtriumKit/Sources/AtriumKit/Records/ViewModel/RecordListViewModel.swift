public import Observation

/// A screen with a list of records.
@MainActor
public final class RecordListViewModel<Item: Record>: ViewModel {
    public let list: RecordList<Item>
    /// The progress of an import, an export or a deletion; nil without one.
    public internal(set) var transfer: Progress? {
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

    /// Creates the view model of a screen, whose pages fit the viewport; for a module that registers its own list.
    public convenience init(
        _ destination: RecordListDestination<Item>, in context: borrowing ViewModelContext
    ) throws {
        self.init(
            destination, model: try context.aggregateModel(), navigator: context.navigator,
            viewport: context.viewport)
        let tasks = context.tasks
        context.viewport.observe(self) { viewModel, _ in
            tasks.run("page size") { await viewModel.list.fit() }
        }
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

    func jump(to page: Int) async throws -> ActionResult {
        try await turning { try await list.jump(to: page) }
    }

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
    private static var createdSlot: ResultSlot<Item.ID> { ResultSlot("created") }

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

    private func showCreated(_ id: Item.ID) async throws {
        try await load(reloads: false)
        created = try await repository.shown(id).value
    }

    private func present(_ id: Item.ID) async throws -> Item? {
        do {
            return try await repository.shown(id).value
        } catch let error as ServiceError where error.code == .notFound {
            return nil
        }
    }
}

extension RecordListViewModel {
    /// The shown list; kept with the stack entry.
    public var savedState: RecordListState<Item> { list.savedState }
    public func restore(_ state: RecordListState<Item>) { list.restore(state) }
    public var shownDestination: (any Destination)? { list.destination(onPage: list.query.page) }
}
