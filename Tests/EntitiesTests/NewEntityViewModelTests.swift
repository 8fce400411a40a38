@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Entities

@MainActor
@Suite("Form for a new entity")
struct NewEntityViewModelTests {
    private let service = MockEntityService(clock: FixedClock(), entities: [])

    private func viewModel() -> NewEntityViewModel {
        NewEntityViewModel(repository: EntityRepository(entities: service, analytics: RecordingAnalytics()))
    }

    private func json(_ viewModel: NewEntityViewModel) -> String {
        JSONValue.object(NewEntityView(viewModel: viewModel).body.json).serialized
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on viewModel: NewEntityViewModel
    ) async throws -> ActionResult {
        let actions = NewEntityView(viewModel: viewModel).actions
        return try await #require(actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    @Test("The form shows what was filled in")
    func set() async throws {
        let viewModel = viewModel()

        let result = try await perform("set", ["field": "name", "value": " Blue lamp "], on: viewModel)

        #expect(result.message == "Set the name.")
        #expect(json(viewModel) == #"{"title":"New entity","name":"Blue lamp","category":null,"notes":null}"#)
    }

    @Test("A value that a field does not accept changes nothing and is told beside the field")
    func refusedValue() async throws {
        let viewModel = viewModel()
        _ = try viewModel.set(.category, to: "lighting")

        #expect(throws: ValidationError.self) { try viewModel.set(.category, to: "a\nb") }

        #expect(viewModel.draft.category == "lighting")
        #expect(viewModel.problems == [.category: "The category must not contain control characters."])
        _ = try viewModel.set(.category, to: "seats")
        #expect(viewModel.problems.isEmpty)
    }

    @Test("Saving an empty form says what is missing and creates nothing")
    func saveEmpty() async throws {
        let viewModel = viewModel()

        let error = await #expect(throws: ValidationError.self) { try await perform("save", on: viewModel) }

        #expect(error?.message == "The name is empty.")
        #expect(viewModel.problems == [.name: "The name is empty."])
        #expect(try await service.page(EntityQuery()).total == 0)
    }

    @Test("Saving creates the entity, leaves for it and empties the form")
    func save() async throws {
        let viewModel = viewModel()
        _ = try viewModel.set(.name, to: "Blue lamp")
        _ = try viewModel.set(.notes, to: "one\ntwo")

        let result = try await perform("save", on: viewModel)

        #expect(result.message == "Created 'Blue lamp'.")
        guard case .leave(let destination) = result.presentation else {
            Issue.record("The form is not left.")
            return
        }
        #expect(try destination?.link().description == "entities/1")
        #expect(try await service.entity(1).notes == "one\ntwo")
        #expect(viewModel.draft == EntityDraft())
    }

    @Test("What was filled in survives the view model")
    func savedState() throws {
        let first = viewModel()
        _ = try first.set(.name, to: "Blue lamp")
        let kept = try StateCoding.encode(first.savedState)

        let second = viewModel()
        second.restore(try StateCoding.decode(EntityDraft.self, from: kept))

        #expect(second.draft == EntityDraft(name: "Blue lamp"))
    }

    @Test("Resetting forgets what was filled in")
    func reset() async throws {
        let viewModel = viewModel()
        _ = try viewModel.set(.name, to: "Blue lamp")

        let result = try await perform("reset", on: viewModel)

        #expect(result.message == "The form is empty.")
        #expect(viewModel.draft == EntityDraft())
    }
}
