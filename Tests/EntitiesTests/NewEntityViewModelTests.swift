import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("New entity form")
struct NewEntityViewModelTests {
    private let service = RecordingEntityService(mockEntityService(clock: FixedClock(), entities: []))
    private let navigator = RecordingNavigator()

    private func viewModel(_ service: (any RecordService<Entity>)? = nil) -> NewEntityViewModel {
        NewEntityViewModel(
            model: EntityModel(service ?? self.service), navigator: navigator)
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

    @Test("The form shows the values that were set")
    func set() async throws {
        let viewModel = viewModel()

        let result = try await perform("set", ["field": "name", "value": " Blue lamp "], on: viewModel)

        #expect(result.message == "Set the name.")
        #expect(json(viewModel) == #"{"title":"New entity","name":"Blue lamp","category":null,"notes":null}"#)
    }

    @Test("An invalid value is refused and shown as a problem of its field")
    func refusedValue() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("category", to: "lighting")

        await #expect(throws: ValidationError.self) { try await viewModel.set("category", to: "a\nb") }

        #expect(viewModel.draft.category == "lighting")
        #expect(viewModel.problems == ["category": "The category must not contain control characters."])
        _ = try await viewModel.set("category", to: "seats")
        #expect(viewModel.problems.isEmpty)
    }

    @Test("Saving an empty form reports the missing name and creates nothing")
    func saveEmpty() async throws {
        let viewModel = viewModel()

        let error = await #expect(throws: ValidationError.self) {
            try await perform("save", on: viewModel)
        }

        #expect(error?.message == "The name is empty.")
        #expect(viewModel.problems == ["name": "The name is empty."])
        #expect(
            json(viewModel).contains(
                #"{"kind":"problem","text":"The name is empty.","hint":"set name VALUE"}"#))
        #expect(try await service.page(EntityQuery()).total == 0)
    }

    @Test("A problem disappears once its field is corrected or the form is saved")
    func fixed() async throws {
        let viewModel = viewModel()
        await #expect(throws: ValidationError.self) { try await perform("save", on: viewModel) }
        await #expect(throws: ValidationError.self) { try await viewModel.set("category", to: "a\nb") }
        #expect(Set(viewModel.problems.keys) == ["name", "category"])

        _ = try await viewModel.set("name", to: "Blue lamp")
        #expect(Set(viewModel.problems.keys) == ["category"])
        // The form does not contain the refused category.
        _ = try await perform("save", on: viewModel)

        #expect(viewModel.problems.isEmpty)
        #expect(try await service.page(EntityQuery()).total == 1)
    }

    @Test("A failed save keeps the form")
    func failedSave() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("name", to: "Blue lamp")
        service.fail(with: .unavailable)

        await #expect(throws: ServiceError.unavailable) { try await perform("save", on: viewModel) }

        #expect(viewModel.draft == EntityDraft(name: "Blue lamp"))
        #expect(!viewModel.isSaving)
        #expect(viewModel.leaveObjections == [LeaveObjection("The field 'name' is not saved.", hint: "save")])
    }

    @Test("Saving twice at the same time creates one entity")
    func doubleSave() async throws {
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let service = RecordingEntityService(mockEntityService(clock: FixedClock(), entities: [])) {
            for await _ in released { break }
        }
        let viewModel = viewModel(service)
        _ = try await viewModel.set("name", to: "Blue lamp")
        let first = Task { try await viewModel.submit() }
        for _ in 0..<100_000 where service.calls.isEmpty { await Task.yield() }
        #expect(json(viewModel).contains("The entity is being saved."))

        let error = await #expect(throws: ServiceError.self) { try await perform("save", on: viewModel) }
        release.finish()
        let result = try await first.value

        #expect(error == .isBeingSaved(Entity.noun))
        #expect(result.message == "Created 'Blue lamp'.")
        #expect(service.calls == ["create"])
        #expect(!viewModel.isSaving)
    }

    @Test("Saving creates the entity, opens it and clears the form")
    func save() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("name", to: "Blue lamp")
        _ = try await viewModel.set("notes", to: "one\ntwo")

        let result = try await perform("save", on: viewModel)

        #expect(result.message == "Created 'Blue lamp'.")
        guard case .leaveReturning(let returned, let destination) = result.presentation else {
            Issue.record("The form is not left.")
            return
        }
        #expect(try returned.value(as: Int.self) == 1)
        #expect(try destination?.link().description == "entities/1")
        #expect(try await service.record(1).notes == "one\ntwo")
        #expect(viewModel.draft == EntityDraft())
    }

    @Test("The form is saved and restored")
    func savedState() async throws {
        let first = viewModel()
        _ = try await first.set("name", to: "Blue lamp")
        let kept = try StateCoding.encode(first.savedState)

        let second = viewModel()
        second.restore(try StateCoding.decode(RecordInput?.self, from: kept))

        #expect(second.draft == EntityDraft(name: "Blue lamp"))
    }

    @Test("Resetting clears the form")
    func reset() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("name", to: "Blue lamp")

        let result = try await perform("reset", on: viewModel)

        #expect(result.message == "The form is empty.")
        #expect(viewModel.draft == EntityDraft())
    }

    // MARK: - Leaving

    @Test(
        "A form with unsaved fields objects to being left",
        arguments: [
            ([("name", "x")], "The field 'name' is not saved."),
            ([("notes", "x")], "The field 'notes' is not saved."),
            ([("category", "x"), ("notes", "y")], "2 fields are not saved."),
        ])
    func objections(_ fields: [(String, String)], _ reason: String) async throws {
        let viewModel = viewModel()
        #expect(viewModel.leaveObjections.isEmpty)

        for (field, text) in fields { _ = try await viewModel.set(field, to: text) }

        #expect(viewModel.leaveObjections == [LeaveObjection(reason, hint: "save")])
    }

    @Test("A form that was saved, reset or cleared does not object")
    func noObjections() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("name", to: "x")
        _ = try await viewModel.set("name", to: "y")
        _ = try await perform("save", on: viewModel)
        #expect(viewModel.leaveObjections.isEmpty)

        _ = try await viewModel.set("name", to: "x")
        _ = try await perform("reset", on: viewModel)
        #expect(viewModel.leaveObjections.isEmpty)

        _ = try await viewModel.set("notes", to: "x")
        _ = try await viewModel.set("notes", to: " ")
        #expect(viewModel.leaveObjections.isEmpty)
    }

    // MARK: - Choosing a category

    @Test("A chosen category is set and clears the field's problem")
    func chooseCategory() async throws {
        let viewModel = viewModel()
        await #expect(throws: ValidationError.self) { try await viewModel.set("category", to: "a\nb") }
        navigator.results = [try PresentedResult("seats")]

        let result = try await perform("choose-category", on: viewModel)

        #expect(navigator.moves == ["present entities/categories"])
        #expect(result.message == "Set the category.")
        #expect(viewModel.draft == EntityDraft(category: "seats"))
        #expect(viewModel.problems.isEmpty)
    }

    @Test("If no category is chosen, the form stays unchanged")
    func noCategory() async throws {
        let viewModel = viewModel()
        _ = try await viewModel.set("category", to: "tables")

        let result = try await perform("choose-category", on: viewModel)

        #expect(result.message == nil)
        #expect(viewModel.draft == EntityDraft(category: "tables"))
    }

    @Test("A category that is returned after a restart is set; a result for another slot is ignored")
    func receive() async throws {
        let viewModel = viewModel()
        let result = try PresentedResult("seats")

        try await viewModel.receive(ReturnedResult(slot: "another", result: result))
        #expect(viewModel.draft == EntityDraft())
        try await viewModel.receive(
            ReturnedResult(slot: "chosen-category", result: result))

        #expect(viewModel.draft == EntityDraft(category: "seats"))
    }

    @Test("An invalid result is an error and changes nothing")
    func receiveWrong() async throws {
        let viewModel = viewModel()
        let slot = "chosen-category"

        await #expect(throws: ArgumentError.self) {
            try await viewModel.receive(ReturnedResult(slot: slot, result: try PresentedResult([1])))
        }
        await #expect(throws: ValidationError.self) {
            try await viewModel.receive(ReturnedResult(slot: slot, result: try PresentedResult("a\nb")))
        }

        #expect(viewModel.draft == EntityDraft())
    }
}
