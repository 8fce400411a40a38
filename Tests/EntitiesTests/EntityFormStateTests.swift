@testable import AtriumKit
import AtriumTesting
import Testing

@testable import Entities

@MainActor
@Suite("Entity form state", .timeLimit(.minutes(5)))
struct EntityFormStateTests {
    @Test("All fields are checked at once, each with its own message")
    func validate() {
        var form = EntityFormState(EntityDraft(name: " ", category: "a\nb", notes: "c\u{7}"))

        let isValid = form.validate()

        #expect(!isValid)

        #expect(
            form.problems == [
                .name: "The name is empty.",
                .category: "The category must not contain control characters.",
                .notes: "The notes must not contain control characters.",
            ])
    }

    @Test("Correcting a field removes its message and leaves the others")
    func fixed() throws {
        var form = EntityFormState(EntityDraft(name: "", category: "a\nb"))
        _ = form.validate()

        try form.set(.name, to: "Lamp")
        #expect(Set(form.problems.keys) == [.category])
        try form.set(.category, to: "")

        #expect(form.problems.isEmpty)
        let isValid = form.validate()
        #expect(isValid)
        #expect(form.filled == [.name])
    }

    @Test("Saving returns whether it succeeded; a second save during the first sends nothing")
    func doubleSave() async throws {
        let world = ModelWorld([])
        let viewModel = NewEntityViewModel(model: world.model, navigator: RecordingNavigator())
        #expect(await viewModel.save() == false)
        #expect((viewModel.failure as? ValidationError)?.message == "The name is empty.")
        _ = try viewModel.set(.name, to: "Lamp")
        var outcomes: [Bool] = []

        for _ in 1...2 { try await world.begin { outcomes.append(await viewModel.save()) } }
        #expect(outcomes == [false])
        #expect(viewModel.isSaving)
        try await world.interleaver.finish()

        #expect(outcomes == [false, true])
        #expect(world.service.calls == ["create Lamp"])
        #expect(viewModel.saved?.id == 1)
        #expect(!viewModel.isSaving)
    }

    @Test("A save whose command is cancelled still clears the form, so that nothing is saved twice")
    func cancelledSave() async throws {
        let world = ModelWorld([])
        let viewModel = NewEntityViewModel(model: world.model, navigator: RecordingNavigator())
        _ = try viewModel.set(.name, to: "Lamp")
        let command = try await world.begin { _ = try? await viewModel.submit() }

        try await world.interleaver.cancel(command)
        #expect(viewModel.isSaving)
        #expect(viewModel.draft.name == "Lamp")
        await #expect(throws: ServiceError.isBeingSaved) { try await viewModel.submit() }
        try await world.interleaver.finish()

        #expect(!viewModel.isSaving)
        #expect(viewModel.draft == EntityDraft())
        #expect(world.service.ids == [1])
    }
}
