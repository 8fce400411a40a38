/// The additions of a module to the service and the screens of a record.
@MainActor
public struct RecordScreens<Item: Record> {
    /// The rules for changes.
    public var rules: @MainActor (borrowing RepositoryContext) throws -> RecordRules<Item> = { _ in
        RecordRules()
    }
    /// Further columns of the list.
    public var columns: @MainActor () -> [Column<Item>] = { [] }
    /// Further actions of the list.
    public var listActions: @MainActor (RecordListViewModel<Item>) -> [Action] = { _ in [] }
    /// The actions of the list that view models of the module perform.
    var modelActions:
        @MainActor (borrowing ScreenContext<RecordListDestination<Item>>) throws -> @MainActor () -> [Action] =
            { _ in { [] } }
    /// Content below the fields of a record.
    public var detail: @MainActor (Item) -> Content = { _ in Content() }
    /// Further actions of a record.
    public var detailActions: @MainActor (RecordViewModel<Item>) -> [Action] = { _ in [] }
    /// True if a server's answers are kept in the module's database, with ``OfflineStore/migration(_:)``, for when
    /// it can't be reached.
    public var keepsOffline = false
    /// The screens that the module leaves out, or registers itself with their view models.
    public var omitted: Set<RecordScreen> = []

    public nonisolated init() {}

    /// Creates the additions that a closure sets.
    public init(_ change: (inout Self) -> Void) { change(&self) }

    /// Adds actions of the list that a view model of the module performs; it lives as long as the list's screen.
    public mutating func addListActions<Model: ViewModel>(
        of type: Model.Type, _ actions: @escaping @MainActor (Model) -> [Action]
    ) {
        let former = modelActions
        modelActions = { context in
            let (former, viewModel): (_, Model) = (try former(context), try context.viewModel())
            return { former() + actions(viewModel) }
        }
    }

    /// The additions with the view models of a list's screen.
    func bound(to context: borrowing ScreenContext<RecordListDestination<Item>>) throws -> Self {
        var screens = self
        let (actions, further) = (listActions, try modelActions(context))
        screens.listActions = { actions($0) + further() }
        return screens
    }

    func has(_ screen: RecordScreen) -> Bool {
        switch screen {
        case .list, .detail: !omitted.contains(screen)
        case .new, .edit: !omitted.contains(screen) && !Item.isReadOnly
        case .values: !omitted.contains(screen) && !Item.fields.filtered.isEmpty
        }
    }
}

/// A screen of a record.
public enum RecordScreen: Sendable, Hashable, CaseIterable {
    case list, detail, new, edit, values
}

extension ModuleRegistry {
    /// Registers the service, the repository and the screens of a record.
    ///
    /// ```swift
    /// registry.records(
    ///     Book.self, live: .resource("v1/books"), local: .table, mock: .samples(Book.samples)
    /// ) {
    ///     $0.detailActions = { book in [Action("lend", "Lend it") { try await book.update("Lent.") { … } }] }
    /// }
    /// ```
    ///
    /// Other parts of the module get them as `any RecordService<Book>` and `RecordRepository<Book>`.
    public func records<Item: Record>(
        _ type: Item.Type, live: RecordSource<Item>, local: RecordSource<Item>, mock: RecordSource<Item>,
        _ change: @MainActor (inout RecordScreens<Item>) -> Void = { _ in }
    ) {
        var screens = RecordScreens<Item>()
        change(&screens)
        for problem in Item.fields.problems { refuse(Item.self, problem) }
        registerService(
            (any RecordService<Item>).self, named: nil, .shared, live: live.make, local: local.make,
            mock: mock.make ?? { _ in throw ServiceError.noMock(Item.fields.noun) },
            proxy: .records(Item.self))
        recordReferences.add(Item.self)
        let (rules, keepsOffline, references) = (screens.rules, screens.keepsOffline, recordReferences)
        if keepsOffline {
            service(
                RecordOfflineStore<Item>.self, live: { RecordOfflineStore(OfflineStore($0)) },
                local: { _ in RecordOfflineStore(.none) }, mock: { _ in RecordOfflineStore(.none) })
        }
        repository(RecordRepository<Item>.self) { context in
            let existence = try RecordReferences.existence(for: Item.self, context)
            let referrers = try references.referrers(to: Item.self, context)
            return RecordRepository(
                service: try context.service(), rules: try rules(context), existence: existence,
                referrers: referrers, turns: existence.isEmpty && referrers.isEmpty ? nil : references.turns,
                offline: keepsOffline ? try context.service() : RecordOfflineStore(.none),
                session: context.session, analytics: context.analytics, clock: context.clock,
                announced: context.changes(Item.table))
        }
        aggregateModel(RecordModel<Item>.self) {
            RecordModel(repository: try $0.repository(), names: try RecordNames.names($0))
        }
        contribute(to: .healthChecks) { context in
            let repository = try context.repository(RecordRepository<Item>.self)
            return HealthCheck(Item.fields.noun.plural) {
                try await repository.total().map { "\($0) can be read" } ?? "can be read"
            }
        }
        register(screens)
        addStories(screens, mock: mock)
    }

    private func register<Item: Record>(_ screens: RecordScreens<Item>) {
        if screens.has(.list) {
            viewModel(RecordListViewModel<Item>.self) { (context, destination: RecordListDestination<Item>) in
                try RecordListViewModel(destination, in: context)
            }
            screen(RecordListDestination<Item>.self) {
                RecordListView(
                    viewModel: try $0.viewModel($0.destination), screens: try screens.bound(to: $0))
            }
        }
        if screens.has(.detail) {
            viewModel(RecordViewModel<Item>.self) { (context, id: Item.ID) in
                RecordViewModel(id: id, model: try context.aggregateModel(), navigator: context.navigator)
            }
            screen(RecordDestination<Item>.self) {
                RecordView(viewModel: try $0.viewModel($0.destination.id), screens: screens)
            }
        }
        if screens.has(.new) || screens.has(.edit) {
            viewModel(RecordFormViewModel<Item>.self) { (context, id: Item.ID?) in
                RecordFormViewModel(id: id, model: try context.aggregateModel(), navigator: context.navigator)
            }
        }
        if screens.has(.new) {
            screen(NewRecordDestination<Item>.self) {
                RecordFormView(viewModel: try $0.viewModel(Item.ID?.none), screens: screens)
            }
        }
        if screens.has(.edit) {
            screen(EditRecordDestination<Item>.self) {
                RecordFormView(
                    viewModel: try $0.viewModel(Item.ID?.some($0.destination.id)), screens: screens)
            }
        }
        if screens.has(.values) {
            if Item.fields.filtered.count > Item.fields.references.count {
                viewModel(RecordValuesViewModel<Item>.self) { (context, query: RecordValuesQuery) in
                    RecordValuesViewModel(
                        try Item.fields.field(query.field), query, repository: try context.repository())
                }
            }
            if !Item.fields.references.isEmpty {
                viewModel(RecordChoiceViewModel<Item>.self) { (context, query: RecordValuesQuery) in
                    let model: RecordModel<Item> = try context.aggregateModel()
                    return try RecordChoiceViewModel(query, model: model)
                }
            }
            registerValues(of: Item.self, FirstField.self)
        }
    }

    /// Registers the screens with the values of the filtered fields, from a position on.
    private func registerValues<Item: Record, Position: FieldPosition>(
        of type: Item.Type, _ position: Position.Type
    ) {
        guard Position.index < Item.fields.filtered.count else { return }
        if Item.fields.filtered[Position.index].reference == nil {
            screen(RecordValuesDestination<Item, Position>.self) {
                RecordValuesView<Item>(viewModel: try $0.viewModel($0.destination.query))
            }
        } else {
            screen(RecordValuesDestination<Item, Position>.self) {
                RecordChoiceView<Item>(viewModel: try $0.viewModel($0.destination.query))
            }
        }
        registerValues(of: type, FieldAfter<Position>.self)
    }
}

extension ServiceError {
    fileprivate static func noMock(_ noun: RecordNoun) -> ServiceError {
        ServiceError(.serviceUnavailable, "The service of \(noun.plural) has no mock.")
    }
}
