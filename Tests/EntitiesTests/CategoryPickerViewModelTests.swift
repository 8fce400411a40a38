import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Category picker")
struct CategoryPickerViewModelTests {
    private func view(
        _ place: CategoryPicker = CategoryPicker(), scenario: MockScenario = MockScenario(),
        entities: [Entity]? = nil
    ) -> CategoryPickerView {
        let service = mockEntityService(scenario: scenario, clock: FixedClock(), entities: entities)
        let repository = EntityRepository(service)
        return CategoryPickerView(
            viewModel: CategoryPickerViewModel(query: place.query, repository: repository))
    }

    private func choose(_ category: String, on view: CategoryPickerView) async throws -> ActionResult {
        let action = try #require(view.actions.first { $0.name == "choose" })
        return try await action.perform(ArgumentValues(["category": category]))
    }

    private func json(_ view: CategoryPickerView) -> String {
        JSONValue.object(view.body.json).serialized
    }

    @Test("Categories are listed with their number of entities and suggested as arguments")
    func listed() async throws {
        let view = view(CategoryPicker(sort: .mostUsed, limit: 2))

        try await view.load()

        #expect(
            json(view) == """
                {"title":"Categories","rows":[{"name":"kitchen","count":7},{"name":"lighting","count":6}],\
                "total":8,"notices":[{"kind":"information",\
                "text":"6 more are not listed, but can be chosen."}]}
                """)
        #expect(view.actions[0].arguments[0].suggestions == ["kitchen", "lighting"])
    }

    @Test("An empty list shows how to create a category")
    func empty() async throws {
        let view = view(entities: [])

        try await view.load()

        #expect(
            json(view) == """
                {"title":"Categories","rows":[],"total":0,"notices":[{"kind":"information",\
                "text":"No entity has a category.","hint":"entities create --name NAME --category CATEGORY"}]}
                """)
    }

    @Test(
        "Choosing a category returns it to the presenter, or opens its list", arguments: ["seats", " SEATS "])
    func chosen(_ typed: String) async throws {
        let view = view()
        try await view.load()

        let result = try await choose(typed, on: view)

        guard case .leaveReturning(let returned, let destination) = result.presentation else {
            Issue.record("The screen is not left.")
            return
        }
        #expect(try returned.value(as: String.self) == "seats")
        #expect(try destination?.link().description == "entities?category=seats")
    }

    @Test("A category beyond the limit can be chosen, even before the list is loaded")
    func unlisted() async throws {
        let view = view(CategoryPicker(limit: 1))

        let result = try await choose("tables", on: view)

        guard case .leaveReturning(let returned, _) = result.presentation else {
            Issue.record("The screen is not left.")
            return
        }
        #expect(returned.json == #""tables""#)
    }

    @Test(
        "An unknown category is an error that suggests the nearest name",
        arguments: [("seast", "Did you mean 'seats'?"), ("", nil), ("xyzzy", nil)])
    func notACategory(_ typed: String, _ hint: String?) async throws {
        let view = view()
        try await view.load()

        let error = await #expect(throws: ServiceError.self) { try await choose(typed, on: view) }

        #expect(error?.code == "notFound")
        #expect(error?.message == "No entity has the category '\(typed)'.")
        #expect(error?.hint == hint)
    }

    @Test("An unavailable service and an invalid limit are errors")
    func failures() async throws {
        let failing = view(scenario: MockScenario(.error))
        await #expect(throws: ServiceError.unavailable) { try await failing.load() }
        await #expect(throws: ServiceError.unavailable) { try await choose("seats", on: failing) }

        let error = await #expect(throws: ValidationError.self) {
            try await view(CategoryPicker(limit: 501)).load()
        }
        #expect(error?.message == "The limit must be at most 500, not 501.")
    }

    @Test("While the service is unreachable, saved categories are listed and can be chosen")
    func offline() async throws {
        let service = RecordingEntityService(mockEntityService(clock: FixedClock()))
        let clock = FixedClock()
        let offline = TestOfflineStore(clock: clock)
        let repository = EntityRepository(service, offline: offline.store, clock: clock)
        func view() -> CategoryPickerView {
            CategoryPickerView(
                viewModel: CategoryPickerViewModel(
                    query: CategoryQuery(sort: .mostUsed, limit: 1), repository: repository))
        }
        try await view().load()
        service.fail(
            with: .unavailable(
                Entity.noun, APIError.requestFailed(.serverUnreachable, "The server can't be reached.")))
        // Expires the cache in memory.
        clock.advance(seconds: 600)
        let stale = view()

        try await stale.load()

        #expect(stale.viewModel.rows.map(\.name) == ["kitchen"])
        #expect(stale.viewModel.asOf == clock.now().adding(seconds: -600))
        #expect(json(stale).contains("the server can't be reached."))
        guard case .leaveReturning(let returned, _) = try await choose(" KITCHEN", on: stale).presentation
        else {
            Issue.record("The screen is not left.")
            return
        }
        #expect(try returned.value(as: String.self) == "kitchen")
        let error = await #expect(throws: ServiceError.self) { try await choose("seats", on: stale) }
        #expect(error?.code == .serviceUnavailable)
    }
}
