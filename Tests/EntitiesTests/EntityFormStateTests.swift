import AtriumTesting
import Testing

@testable import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity form state", .timeLimit(.minutes(5)))
struct EntityFormStateTests {
    private func form() -> RecordForm<Entity> {
        RecordForm(nil, model: EntityModel(mockEntityService(clock: FixedClock(), entities: [])))
    }

    @Test("All fields are checked at once, each with its own message")
    func validate() async throws {
        let draft = EntityDraft(name: " ", category: "a\nb", notes: "c\u{7}")

        #expect(
            draft.validate().map { [$0.field, $0.message] } == [
                ["name", "The name is empty."],
                ["category", "The category must not contain control characters."],
                ["notes", "The notes must not contain control characters."],
            ])
    }

    @Test("Correcting a field removes its message and leaves the others")
    func fixed() async throws {
        let form = form()
        await #expect(throws: ValidationError.self) { try await form.save() }
        #expect(throws: ValidationError.self) { try form.set("category", to: "a\nb") }
        #expect(Set(form.problems.keys) == ["name", "category"])

        try form.set("name", to: "Lamp")
        #expect(Set(form.problems.keys) == ["category"])
        try form.set("category", to: "")

        #expect(form.problems.isEmpty)
        #expect(form.changed.map(\.name) == ["name"])
    }

    @Test("A second save during the first sends nothing")
    func doubleSave() async throws {
        let world = ModelWorld([])
        let form = RecordForm(nil, model: world.model)
        try form.set("name", to: "Lamp")
        var outcomes: [String] = []

        for _ in 1...2 {
            try await world.begin {
                do { outcomes.append("\(try await form.save().id)") } catch {
                    outcomes.append((error as? ServiceError)?.code.rawValue ?? "\(error)")
                }
            }
        }
        #expect(outcomes == ["isBeingSaved"])
        #expect(form.isSaving)
        try await world.interleaver.finish()

        #expect(outcomes == ["isBeingSaved", "1"])
        #expect(world.service.calls == ["create Lamp"])
        #expect(!form.isSaving)
    }

    @Test("A save whose command is cancelled still clears the form, so that nothing is saved twice")
    func cancelledSave() async throws {
        let world = ModelWorld([])
        let viewModel = NewEntityViewModel(model: world.model, navigator: RecordingNavigator())
        _ = try await viewModel.set("name", to: "Lamp")
        let command = try await world.begin { _ = try? await viewModel.submit() }

        try await world.interleaver.cancel(command)
        #expect(viewModel.isSaving)
        #expect(viewModel.draft.name == "Lamp")
        await #expect(throws: ServiceError.isBeingSaved(Entity.noun)) { try await viewModel.submit() }
        try await world.interleaver.finish()

        #expect(!viewModel.isSaving)
        #expect(viewModel.draft == EntityDraft())
        #expect(world.service.ids == [1])
    }
}
