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

    private func form(_ id: Int? = nil) throws -> ItemFormViewModel {
        try container.viewModel(ItemFormViewModel.self, id)
    }

    @Test("Keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(__NAME__Module.self) }

    @Test("The list has the items by name, of one category if asked")
    func list() async throws {
        let list = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())
        try await list.load()
        #expect(list.page.items.map(\.name) == ["Blue lamp", "Desk", "Old chair"])

        _ = try await list.list(page: 1, category: "furniture")

        #expect(list.page.items.map(\.name) == ["Desk", "Old chair"])
        #expect(list.page.total == 2 && !list.hasMore)
    }

    @Test("A page after the last one is empty, and one before the first is refused")
    func pages() async throws {
        let list = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination(page: 2))
        try await list.load()
        #expect(list.page.items.isEmpty && list.page.lastNumber == 1)

        await #expect(throws: ValidationError.self) { try await list.list(page: 0, category: nil) }

        #expect(list.query.page == 2)
    }

    @Test("A chosen category is listed")
    func filter() async throws {
        let list = try container.viewModel(__NAME__ViewModel.self, __NAME__Destination())
        container.navigator.results = [try PresentedResult("Lighting")]

        _ = try await list.filter()

        #expect(container.navigator.moves == ["present __LINK__/categories"])
        #expect(list.query.category == "Lighting")
    }

    @Test("A form with a mistake says what is wrong beside the field, and stores nothing")
    func mistakes() async throws {
        let form = try form()
        #expect(throws: ValidationError.self) { try form.set(.quantity, to: "many") }
        #expect(form.problems[.quantity] == "The quantity must be a whole number, not 'many'.")

        await #expect(throws: ValidationError.self) { try await form.save() }

        #expect(form.problems[.name] == "The name is empty.")
        let page = try await container.repository(ItemRepository.self).page(ItemQuery())
        #expect(page.total == 3)
    }

    @Test("What was filled in is kept until it is saved")
    func keeps() async throws {
        let form = try form(2)
        try await form.load()
        #expect(form.savedState == nil && form.leaveObjections.isEmpty)

        _ = try form.set(.name, to: " Standing desk ")
        let later = try self.form(2)
        later.restore(form.savedState)
        try await later.load()

        #expect(later.draft == ItemDraft(name: "Standing desk", category: "Furniture"))
        #expect(later.leaveObjections.map(\.reason) == ["The changes are not saved."])
        #expect(try await later.save().message == "Saved 'Standing desk'.")
        #expect(later.savedState == nil)
    }

    @Test("An archived item is not changed until it is restored")
    func archived() async throws {
        let items = try container.repository(ItemRepository.self)
        let draft = ItemDraft(name: "New chair")

        await #expect(throws: ServiceError.archived(try await items.item(3))) {
            try await items.update(3, draft)
        }
        _ = try await items.setArchived(3, false)

        #expect(try await items.update(3, draft).name == "New chair")
    }

    @Test("A failure of the service is an error, and the input stays")
    func failure() async throws {
        let form = try form()
        _ = try form.set(.name, to: "Shelf")
        container.mock("ItemService")?.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.self) { try await form.save() }

        #expect(form.draft == ItemDraft(name: "Shelf") && !form.isSaving)
    }
}
