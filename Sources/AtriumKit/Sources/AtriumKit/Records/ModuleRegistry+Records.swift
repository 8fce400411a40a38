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
    /// Content below the fields of a record.
    public var detail: @MainActor (Item) -> Content = { _ in Content() }
    /// Further actions of a record.
    public var detailActions: @MainActor (RecordViewModel<Item>) -> [Action] = { _ in [] }
    /// The screens that the module leaves out, or registers itself with destinations of its own.
    public var omitted: Set<RecordScreen> = []

    public nonisolated init() {}

    /// True if the screen is registered.
    func has(_ screen: RecordScreen) -> Bool {
        !omitted.contains(screen) && (screen != .values || !Item.fields.filtered.isEmpty)
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
        check(type, samples: mock.samples)
        registerService(
            (any RecordService<Item>).self, named: nil, .shared, live: live.make, local: local.make,
            mock: mock.make ?? { _ in throw ServiceError.noMock(Item.noun) })
        let rules = screens.rules
        repository(RecordRepository<Item>.self) { context in
            RecordRepository(
                service: try context.service(), rules: try rules(context),
                announced: context.changes(Item.table))
        }
        register(screens)
    }

    private func register<Item: Record>(_ screens: RecordScreens<Item>) {
        if screens.has(.list) {
            viewModel(RecordListViewModel<Item>.self) { (context, destination: RecordListDestination<Item>) in
                RecordListViewModel(
                    destination, repository: try context.repository(), navigator: context.navigator)
            }
            screen(RecordListDestination<Item>.self) {
                RecordListView(viewModel: try $0.viewModel($0.destination), screens: screens)
            }
        }
        if screens.has(.detail) {
            viewModel(RecordViewModel<Item>.self) { (context, id: Int) in
                RecordViewModel(id: id, repository: try context.repository(), navigator: context.navigator)
            }
            screen(RecordDestination<Item>.self) {
                RecordView(viewModel: try $0.viewModel($0.destination.id), screens: screens)
            }
        }
        if screens.has(.new) || screens.has(.edit) {
            viewModel(RecordFormViewModel<Item>.self) { (context, id: Int?) in
                RecordFormViewModel(
                    id: id, repository: try context.repository(), navigator: context.navigator)
            }
        }
        if screens.has(.new) {
            screen(NewRecordDestination<Item>.self) {
                RecordFormView(viewModel: try $0.viewModel(Int?.none), screens: screens)
            }
        }
        if screens.has(.edit) {
            screen(EditRecordDestination<Item>.self) {
                RecordFormView(viewModel: try $0.viewModel(Int?.some($0.destination.id)), screens: screens)
            }
        }
        if screens.has(.values) {
            viewModel(RecordValuesViewModel<Item>.self) { (context, field: String) in
                RecordValuesViewModel(field: field, repository: try context.repository())
            }
            screen(RecordValuesDestination<Item>.self) {
                RecordValuesView<Item>(viewModel: try $0.viewModel($0.destination.field))
            }
        }
    }

    /// Reports the mistakes of a record's declaration, and samples that break its rules.
    private func check<Item: Record>(_ type: Item.Type, samples: [Item]) {
        var problems = Item.fields.problems
        for (index, sample) in samples.enumerated() {
            problems += sample.validate().map { "sample \(index + 1) of \(Item.self): \($0.message)" }
        }
        for problem in problems { refuse(Item.self, problem) }
    }
}

extension ServiceError {
    fileprivate static func noMock(_ noun: RecordNoun) -> ServiceError {
        ServiceError(.serviceUnavailable, "The service of \(noun.plural) has no mock.")
    }
}
