import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity list")
struct EntityListViewModelTests {
    private let clock = FixedClock()

    private func view(
        _ query: EntityQuery = EntityQuery(), scenario: MockScenario = MockScenario(),
        entities: [Entity]? = nil
    ) -> EntityListView {
        let service = mockEntityService(scenario: scenario, clock: clock, entities: entities)
        let size = query.size == 20 ? nil : query.size
        return EntityListView(
            viewModel: EntityListViewModel(
                destination: EntityList(query, size: size), model: EntityModel(service),
                navigator: RecordingNavigator(), viewport: ViewportMonitor()))
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: EntityListView
    ) async throws -> ActionResult {
        try await #require(view.actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    private func json(_ view: EntityListView) -> String {
        JSONValue.object(view.body.json).serialized
    }

    @Test("The list shows a page, its total and its query")
    func page() async throws {
        let view = view(EntityQuery(size: 2, category: "LIGHTING"))

        try await view.load()

        #expect(
            json(view) == """
                {"title":"Entities","state":"content","rows":[\
                {"id":1,"name":"Blue lamp","category":"lighting","notes":"Stands by the reading chair.",\
                "createdAt":"2026-01-01T09:00:00Z","updatedAt":"2026-01-01T09:00:00Z"},\
                {"id":4,"name":"Candle holder","category":"lighting","notes":"Brass, a pair.",\
                "createdAt":"2026-01-01T12:00:00Z","updatedAt":"2026-01-01T12:00:00Z"}],\
                "page":1,"size":2,"total":6,"hasMore":true,"sort":"name","category":"LIGHTING"}
                """)
    }

    @Test("Notes are a hidden column")
    func hiddenNotes() async throws {
        let view = view()
        try await view.load()

        let table = try #require(
            view.body.blocks.compactMap { if case .table(let table) = $0 { table } else { nil } }.first)

        #expect(table.headings.filter(\.isHidden).map(\.key) == ["notes", "updatedAt"])
    }

    @Test("'list' without arguments resets the query")
    func defaults() async throws {
        let view = view(EntityQuery(page: 2, size: 5, sort: .newest, category: "seats", search: "o"))
        try await view.load()

        _ = try await perform("list", on: view)

        #expect(view.viewModel.query == EntityQuery())
        #expect(view.viewModel.total == 46)
        #expect(view.viewModel.rows.count == 20)
    }

    @Test("'list' accepts page, size, order, category and search")
    func list() async throws {
        let view = view()

        let result = try await perform(
            "list",
            ["page": "2", "size": "1", "sort": "-name", "category": "seats", "search": "CHAIR"], on: view)

        #expect(result.message == nil)
        #expect(view.viewModel.rows.map(\.name) == ["Red chair"])
        #expect(
            view.viewModel.query
                == EntityQuery(page: 2, size: 1, sort: .nameDescending, category: "seats", search: "CHAIR"))
    }

    @Test(
        "An invalid argument is an error and changes nothing",
        arguments: [
            (["page": "0"], "The page must be at least 1, not 0."),
            (["page": "-3"], "The page must be at least 1, not -3."),
            (["size": "0"], "The size must be at least 1, not 0."),
            (["size": "501"], "The size must be at most 500, not 501."),
            (["page": "x"], "'page' of 'list' must be a whole number, not 'x'."),
            (
                ["sort": "nmae"],
                "'sort' of 'list' must be one of name, -name, oldest, newest, not 'nmae'."
            ),
        ])
    func refused(_ values: [String: String], _ message: String) async throws {
        let view = view(EntityQuery(search: "lamp"))
        try await view.load()
        let before = json(view)

        let error = await #expect(throws: (any Error).self) { try await perform("list", values, on: view) }

        let explained = error as? any ExplainedError
        #expect(explained?.message == message)
        #expect(explained?.category == .validation)
        #expect(json(view) == before)
    }

    @Test("A link with an invalid page and size fails to load")
    func refusedLink() async throws {
        let link = try Link("entities?page=0&size=1000")
        let place = try #require(try EntityList(link: link))

        let error = await #expect(throws: ValidationError.self) { try await view(place.query()).load() }

        #expect(
            error?.message == "The page must be at least 1, not 0. The size must be at most 500, not 1000.")
    }

    @Test("'next' and 'previous' stop at the last and first page")
    func pages() async throws {
        let view = view(EntityQuery(size: 20))
        try await view.load()

        _ = try await perform("next", on: view)
        _ = try await perform("next", on: view)
        #expect(view.viewModel.query.page == 3)
        #expect(view.viewModel.rows.count == 6)
        let atEnd = await #expect(throws: ServiceError.self) { try await perform("next", on: view) }
        #expect(atEnd == .noPageAfter(3))
        #expect(view.viewModel.query.page == 3)

        _ = try await perform("previous", on: view)
        _ = try await perform("previous", on: view)
        let atStart = await #expect(throws: ServiceError.self) { try await perform("previous", on: view) }
        #expect(atStart == .noPageBeforeFirst)
        #expect(view.viewModel.query.page == 1)
    }

    @Test("An empty list shows how to add the first entity")
    func empty() async throws {
        let view = view(entities: [])

        try await view.load()

        #expect(
            json(view) == """
                {"title":"Entities","state":"empty","rows":[],"page":1,"size":20,"total":0,"hasMore":false,"sort":"name",\
                "notices":[{"kind":"information","text":"Add your first entity",\
                "hint":"entities create --name NAME"}]}
                """)
    }

    @Test(
        "A list without matches explains why and suggests a link",
        arguments: [
            (EntityQuery(search: "xyz"), "There is no entity with 'xyz'.", "entities"),
            (EntityQuery(category: "xyz"), "There is no entity with category 'xyz'.", "entities"),
            (
                EntityQuery(category: "seats", search: "lamp"),
                "There is no entity with 'lamp' and category 'seats'.",
                "entities"
            ),
            (EntityQuery(page: 9), "The list ends with page 3.", "entities?page=3"),
            (
                EntityQuery(page: 9, size: 5, sort: .newest, category: "seats", search: "o"),
                "The list ends with page 2.", "entities?page=2&size=5&sort=newest&category=seats&search=o"
            ),
        ])
    func nothing(_ query: EntityQuery, _ text: String, _ hint: String) async throws {
        let view = view(query)

        try await view.load()

        let notices = view.body.blocks.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices.map(\.text) == [text])
        #expect(notices.map(\.hint) == [hint])
        #expect(view.viewModel.rows.isEmpty)
    }

    @Test("Past the end, 'previous' shows the last page")
    func previousFromPastEnd() async throws {
        let view = view(EntityQuery(page: 9))
        try await view.load()

        _ = try await perform("previous", on: view)

        #expect(view.viewModel.query.page == 3)
    }

    @Test("Creating opens the new entity")
    func create() async throws {
        let view = view(entities: [])

        let result = try await perform("create", ["name": " Blue lamp ", "category": "lighting"], on: view)

        #expect(result.message == "Created 'Blue lamp'.")
        guard case .destination(let destination) = result.presentation else {
            Issue.record("The entity is not shown.")
            return
        }
        #expect(try destination.link().description == "entities/1")
    }

    @Test("Creating with invalid values reports every mistake and creates nothing")
    func invalidCreate() async throws {
        let view = view(entities: [])

        let error = await #expect(throws: ValidationError.self) {
            try await perform("create", ["name": " ", "category": "a\nb"], on: view)
        }

        #expect(error?.message == "The name is empty. The category must not contain control characters.")
        try await view.load()
        #expect(view.viewModel.total == 0)
    }

    @Test("A failed first load shows the reason")
    func failure() async throws {
        let failing = view(scenario: MockScenario(.error))

        await #expect(throws: ServiceError.unavailable) { try await failing.load() }

        #expect(failing.viewModel.state == .failed(LoadFailure(ServiceError.unavailable)))
        #expect(json(failing).contains(#""kind":"problem","text":"The entity service does not answer.""#))
    }

    @Test("The shown list is saved and restored")
    func savedState() async throws {
        let first = view()
        _ = try await perform("list", ["page": "2", "size": "3", "sort": "newest"], on: first)
        let kept = try StateCoding.encode(first.viewModel.savedState)

        let second = view()
        second.viewModel.restore(try StateCoding.decode(EntityListPosition.self, from: kept))
        try await second.load()

        #expect(json(second) == json(first))
    }

    @Test("State saved by version 1.0 of the module is restored")
    func earlierState() async throws {
        let view = view()
        let kept = #"{"page":2,"size":20,"sort":"newest","search":"a"}"#

        view.viewModel.restore(try StateCoding.decode(EntityListPosition.self, from: kept))

        #expect(view.viewModel.query == EntityQuery(page: 2, size: 20, sort: .newest, search: "a"))
        #expect(
            try view.viewModel.shownDestination?.link().description == """
                entities?page=2&size=20&sort=newest&search=a
                """)
    }

    @Test("The list shows exactly one of progress, failure, empty and rows")
    func exclusive() async throws {
        let loading = view()
        let failed = view(scenario: MockScenario(.error))
        await #expect(throws: ServiceError.unavailable) { try await failed.load() }
        let empty = view(entities: [])
        try await empty.load()
        let content = view()
        try await content.load()

        let shown = [loading, failed, empty, content].map { view in
            view.body.blocks.compactMap { block -> String? in
                switch block {
                case .notice(let notice): "\(notice.kind): \(notice.text)"
                case .progress(let progress): "progress: \(progress.text)"
                case .table(let table) where !table.rows.isEmpty: "\(table.rows.count) rows"
                default: nil
                }
            }
        }

        #expect(
            shown == [
                ["progress: Loading"], ["problem: The entity service does not answer."],
                ["information: Add your first entity"], ["20 rows"],
            ])
    }

    @Test("The link follows the current page, order, size and filter")
    func shownDestination() async throws {
        let view = view()
        try await view.load()
        func link() throws -> String? { try view.viewModel.shownDestination?.link().description }
        #expect(try link() == "entities")

        _ = try await perform("list", ["sort": "newest"], on: view)
        _ = try await perform("next", on: view)
        #expect(try link() == "entities?page=2&sort=newest")
        await #expect(throws: ValidationError.self) { try await perform("list", ["page": "0"], on: view) }
        #expect(try link() == "entities?page=2&sort=newest")

        _ = try await perform("list", ["size": "20", "category": " seats ", "search": "o"], on: view)
        #expect(try link() == "entities?size=20&category=seats&search=o")
    }

    @Test(
        "Links and lists convert to each other",
        arguments: [
            "entities", "entities?search=lamp&sort=-name", "entities?page=2&size=5&sort=newest",
            "entities?category=a%2Fb&search=100%25",
        ])
    func links(_ text: String) throws {
        let place = try #require(try EntityList(link: Link(text)))

        #expect(try EntityList(link: EntityList(place.query(), size: place.size).link()) == place)
    }
}
