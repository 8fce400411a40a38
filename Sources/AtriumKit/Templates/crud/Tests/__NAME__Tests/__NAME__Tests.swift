import AtriumKit
import AtriumTesting
import Testing

@testable import __NAME__

@Suite("Screens of __NAME__") @MainActor
struct __NAME__Tests {
    private let container: TestContainer

    init() throws {
        container = try TestContainer(__NAME__Module.self)
    }

    private func form(_ id: Int? = nil) throws -> RecordFormViewModel<Item> {
        try container.viewModel(RecordFormViewModel<Item>.self, id)
    }

    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("The list has the items by name, or one category")
    func list() async throws {
        let list = try container.viewModel(
            RecordListViewModel<Item>.self, RecordListDestination<Item>()
        ).list
        try await list.load()
        #expect(list.rows.map(\.name) == ["Blue lamp", "Desk", "Old chair"])

        try await list.show(only: "furniture", of: "category")

        #expect(list.rows.map(\.name) == ["Desk", "Old chair"])
        #expect(list.total == 2 && !list.hasMore)
    }

    @Test("A form with a mistake says what is wrong, and stores nothing")
    func mistakes() async throws {
        let form = try form().form
        #expect(throws: ValidationError.self) { try form.set("quantity", to: "many") }
        #expect(form.problems["quantity"] == "The quantity must be a whole number, not 'many'.")

        await #expect(throws: ValidationError.self) { _ = try await form.save() }

        #expect(form.problems["name"] == "The name is empty.")
    }

    @Test("An archived item is not changed until it is restored")
    func archived() async throws {
        let items = try container.repository(RecordRepository<Item>.self)
        let chair = try await items.record(3)
        var renamed = chair
        renamed.name = "New chair"
        await #expect(throws: ServiceError.archived(renamed)) { try await items.update(renamed, from: chair) }

        renamed.archived = false

        #expect(try await items.update(renamed, from: chair).name == "New chair")
    }
}
