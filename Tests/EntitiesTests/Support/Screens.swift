import AtriumTesting

@testable import AtriumKit
@testable import Entities

// The screens of entities, under short names.

typealias EntityList = RecordListDestination<Entity>
typealias EntityListView = RecordListView<Entity>
typealias EntityListViewModel = RecordListViewModel<Entity>
typealias EntityListPosition = RecordListState<Entity>
typealias EntityDetailView = RecordView<Entity>
typealias EntityDetailViewModel = RecordViewModel<Entity>
typealias NewEntityView = RecordFormView<Entity>
typealias NewEntityViewModel = RecordFormViewModel<Entity>
typealias CategoryPicker = RecordValuesDestination<Entity, FirstField>
typealias CategoryPickerView = RecordValuesView<Entity>
typealias CategoryPickerViewModel = RecordValuesViewModel<Entity>

extension RecordListViewModel<Entity> {
    convenience init(
        destination: EntityList, model: EntityModel, navigator: any Navigator, viewport: ViewportMonitor
    ) {
        self.init(destination, model: model, navigator: navigator, viewport: viewport)
    }

    var state: LoadState<[Entity]> { list.state }
    var rows: [Entity] { list.rows }
    var shownRows: [EntityRow] { list.listing.rows }
    var total: Int { list.total }
    var query: EntityQuery { list.query }

    func fitToViewport() async { await list.fit() }
    func list(_ destination: EntityList, reloads: Bool = false) async throws -> ActionResult {
        try await show(destination, reloads: reloads)
    }
}

extension RecordViewModel<Entity> {
    convenience init(id: Int, model: EntityModel) {
        self.init(id: id, model: model, navigator: RecordingNavigator())
    }

    var entity: Entity? { record }
}

extension RecordFormViewModel<Entity> {
    convenience init(model: EntityModel, navigator: any Navigator) {
        self.init(id: nil, model: model, navigator: navigator)
    }

    var draft: Entity { form.draft }
    var problems: [String: String] { form.problems }
    var isSaving: Bool { form.isSaving }

    func submit() async throws -> ActionResult { try await save() }
}

extension RecordValuesViewModel<Entity> {
    convenience init(query: RecordValuesQuery, repository: EntityRepository) {
        self.init(Entity.fields.filtered[0], query, repository: repository)
    }
}

extension RecordListDestination<Entity> {
    init(_ query: EntityQuery) { self.init(query, size: nil) }
}
