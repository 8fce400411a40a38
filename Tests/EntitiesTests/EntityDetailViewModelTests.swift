import AtriumTesting
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entity details")
struct EntityDetailViewModelTests {
    private let clock = FixedClock()
    private let service: RecordingEntityService

    init() {
        service = RecordingEntityService(mockEntityService(clock: clock))
    }

    private func view(_ id: Int) -> EntityDetailView {
        EntityDetailView(viewModel: EntityDetailViewModel(id: id, model: EntityModel(service)))
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: EntityDetailView
    ) async throws -> ActionResult {
        try await #require(view.actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    @Test("An entity is shown with all of its fields")
    func shown() async throws {
        let view = view(3)

        try await view.load()

        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Paper lantern","id":3,"name":"Paper lantern","category":"lighting","notes":null,\
                "createdAt":"2026-01-01T11:00:00Z","updatedAt":"2026-01-01T11:00:00Z"}
                """)
    }

    @Test("A missing entity is an error with a hint")
    func notFound() async {
        let error = await #expect(throws: ServiceError.self) { try await view(99).load() }

        #expect(error?.code == "notFound")
        #expect(error?.message == "There is no entity 99.")
        #expect(error?.hint == "entities")
    }

    @Test("Updating changes only the given fields")
    func update() async throws {
        let view = view(1)
        try await view.load()

        let result = try await perform("update", ["name": "Green lamp", "notes": ""], on: view)

        #expect(result.message == "Updated 'Green lamp'.")
        #expect(view.viewModel.entity?.name == "Green lamp")
        #expect(view.viewModel.entity?.category == "lighting")
        #expect(view.viewModel.entity?.notes == nil)
        #expect(try await service.record(1) == view.viewModel.entity)
    }

    @Test("Updating nothing is an error")
    func updateNothing() async throws {
        let view = view(1)

        let error = await #expect(throws: ServiceError.self) { try await perform("update", on: view) }

        #expect(error == .nothingToChange(Entity.self, 1))
    }

    @Test("Updating with invalid values reports every mistake and changes nothing")
    func invalidUpdate() async throws {
        let view = view(1)
        try await view.load()
        let before = try await service.record(1)

        let error = await #expect(throws: ValidationError.self) {
            try await perform("update", ["name": "", "notes": "\u{7}"], on: view)
        }

        #expect(error?.message == "The name is empty. The notes must not contain control characters.")
        #expect(try await service.record(1) == before)
        #expect(view.viewModel.entity == before)
    }

    @Test("Deleting leaves the screen for the list")
    func delete() async throws {
        let view = view(1)
        try await view.load()

        let result = try await perform("delete", on: view)

        #expect(result.message == "Deleted 'Blue lamp'.")
        guard case .leave(let destination) = result.presentation else {
            Issue.record("The screen is not left.")
            return
        }
        #expect(try destination?.link().description == "entities")
        await #expect(throws: ServiceError.notFound(1)) { try await service.record(1) }
        await #expect(throws: ServiceError.notFound(1)) { try await perform("delete", on: view) }
    }

    @Test("The question before deleting names the entity and sends nothing")
    func question() async throws {
        let view = view(1)
        try await view.load()

        let delete = try #require(view.actions.first { $0.name == "delete" })

        #expect(delete.question == "Delete 'Blue lamp'?")
        #expect(try !delete.isAnswered(by: ArgumentValues()))
        #expect(try delete.isAnswered(by: ArgumentValues(["yes": "yes"])))
        #expect(service.calls == ["entity"])
    }

    @Test("The question before deleting has the current name")
    func questionAfterUpdate() async throws {
        let view = view(1)
        try await view.load()

        _ = try await perform("update", ["name": "Green lamp"], on: view)

        #expect(view.actions.first { $0.name == "delete" }?.question == "Delete 'Green lamp'?")
    }

    @Test("A failed update or deletion leaves the entity unchanged")
    func failures() async throws {
        let view = view(1)
        try await view.load()
        let before = view.viewModel.entity
        service.fail(with: .unavailable)

        await #expect(throws: ServiceError.unavailable) {
            try await perform("update", ["name": "x"], on: view)
        }
        await #expect(throws: ServiceError.unavailable) { try await perform("delete", on: view) }

        #expect(view.viewModel.entity == before)
        service.fail(with: nil)
        #expect(try await service.record(1) == before)
    }

    @Test("Each action declares its effect")
    func effects() {
        let effects = view(1).actions.map { "\($0.name) \($0.effect)" }

        #expect(
            effects == [
                "update changes", "delete destroys", "set changes", "edit navigates", "refresh reads",
            ])
    }
}
