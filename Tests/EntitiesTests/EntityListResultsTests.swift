import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity list: results of presented screens")
struct EntityListResultsTests {
    private let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
    private let navigator = RecordingNavigator()
    private let model: EntityModel

    init() {
        model = EntityModel(service)
    }

    private func view(_ place: EntityList = EntityList()) async throws -> EntityListView {
        let view = EntityListView(
            viewModel: EntityListViewModel(
                destination: place, model: model, navigator: navigator, viewport: ViewportMonitor()))
        try await view.load()
        return view
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: EntityListView
    ) async throws -> ActionResult {
        try await #require(view.actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    private func notices(_ view: EntityListView) -> [String] {
        view.body.blocks.compactMap { block in
            if case .notice(let notice) = block { "\(notice.text) \(notice.hint ?? "")" } else { nil }
        }
    }

    // MARK: - A new entity

    @Test("'new' presents the form, and the list shows the created entity")
    func created() async throws {
        let view = try await view(EntityList(category: "tables"))
        let entity = try await model.create(EntityDraft(name: "Anvil", category: "tables"))
        navigator.results = [try PresentedResult(entity.id)]

        let result = try await perform("new", on: view)

        #expect(navigator.moves == ["present entities/new"])
        // The form reports the creation itself.
        #expect(result.message == nil)
        #expect(view.viewModel.rows.first == entity)
        #expect(view.viewModel.total == 6)
        #expect(notices(view) == [])
    }

    @Test("A created entity that is not on the page is named in a notice until another page is shown")
    func createdElsewhere() async throws {
        let view = try await view(EntityList(size: 5))
        let entity = try await model.create(EntityDraft(name: "Zebra"))
        navigator.results = [try PresentedResult(entity.id)]

        _ = try await perform("new", on: view)
        #expect(notices(view) == ["'Zebra' is not on this page. entities/47"])

        _ = try await model.update(47, EntityChanges(name: "Zebu"))
        try await view.load()
        #expect(notices(view) == ["'Zebu' is not on this page. entities/47"])

        _ = try await perform("next", on: view)
        #expect(notices(view) == [])
    }

    @Test("The notice disappears once the entity is deleted")
    func createdAndDeleted() async throws {
        let view = try await view(EntityList(size: 5))
        let entity = try await model.create(EntityDraft(name: "Zebra"))
        navigator.results = [try PresentedResult(entity.id)]
        _ = try await perform("new", on: view)

        _ = try await model.delete(entity.id)
        try await view.load()

        #expect(notices(view) == [])
    }

    @Test("Leaving the form without saving does not reload the list")
    func notCreated() async throws {
        let view = try await view()
        let before = view.viewModel.state

        let result = try await perform("new", on: view)

        #expect(result.message == nil)
        #expect(view.viewModel.state == before)
        #expect(service.calls == ["page"])
    }

    @Test("If the list can't be reloaded after a creation, it stays unchanged and the error is reported")
    func createdAndFailing() async throws {
        let view = try await view()
        let before = view.viewModel.state
        navigator.results = [try PresentedResult(1)]
        service.fail(with: .unavailable)

        await #expect(throws: ServiceError.unavailable) { try await perform("new", on: view) }

        #expect(view.viewModel.state == before)
    }

    @Test("A creation that was returned before a restart updates the list")
    func receiveCreated() async throws {
        let view = try await view(EntityList(size: 5))
        let entity = try await model.create(EntityDraft(name: "Zebra"))

        try await view.viewModel.receive(
            ReturnedResult(
                slot: "created", result: try PresentedResult(entity.id)))

        #expect(view.viewModel.total == 47)
        #expect(notices(view) == ["'Zebra' is not on this page. entities/47"])
    }

    // MARK: - A category

    @Test("'filter' shows the first page of the chosen category and keeps order, size and search")
    func filter() async throws {
        let view = try await view(EntityList(page: 2, size: 3, sort: .nameDescending, search: "a"))
        navigator.results = [try PresentedResult("seats")]

        _ = try await perform("filter", on: view)

        #expect(navigator.moves == ["present entities/categories"])
        #expect(
            view.viewModel.query
                == EntityQuery(size: 3, sort: .nameDescending, category: "seats", search: "a"))
        #expect(view.viewModel.rows.map(\.name) == ["Sofa", "Rocking chair", "Red chair"])
    }

    @Test("If no category is chosen, the list stays unchanged")
    func notFiltered() async throws {
        let view = try await view(EntityList(page: 2, category: "seats"))
        let before = (view.viewModel.query, view.viewModel.state)

        _ = try await perform("filter", on: view)

        #expect(view.viewModel.query == before.0)
        #expect(view.viewModel.state == before.1)
        #expect(service.calls == ["page"])
    }

    @Test("If the category can't be loaded, the list stays unchanged")
    func filterFails() async throws {
        let view = try await view(EntityList(page: 2))
        let before = (view.viewModel.query, view.viewModel.state)
        navigator.results = [try PresentedResult("seats")]
        service.fail(with: .unavailable)

        await #expect(throws: ServiceError.unavailable) { try await perform("filter", on: view) }

        #expect(view.viewModel.query == before.0)
        #expect(view.viewModel.state == before.1)
    }

    @Test("A category that was returned before a restart is applied")
    func receiveCategory() async throws {
        let view = try await view()
        let slot = "chosen-category"

        try await view.viewModel.receive(
            ReturnedResult(slot: "another", result: try PresentedResult("seats")))
        #expect(view.viewModel.query.category == nil)
        try await view.viewModel.receive(ReturnedResult(slot: slot, result: try PresentedResult("seats")))

        #expect(view.viewModel.query.category == "seats")
        #expect(view.viewModel.total == 6)
    }
}
