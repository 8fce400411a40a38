import AtriumKit
import Observation

/// One item.
@MainActor
@Observable
final class ItemDetailViewModel: ViewModel {
    private(set) var item: Item?
    private let id: Int
    private let items: ItemRepository
    private let navigator: any Navigator

    init(id: Int, items: ItemRepository, navigator: any Navigator) {
        self.id = id
        self.items = items
        self.navigator = navigator
    }

    func load() async throws {
        item = try await items.item(id)
    }

    /// Opens the form, unless the guard refuses it.
    func edit() async throws -> ActionResult {
        try await navigator.push(EditItem(id: id))
        return .updated
    }

    func setArchived(_ isArchived: Bool) async throws -> ActionResult {
        let item = try await items.setArchived(id, isArchived)
        self.item = item
        return .updated("\(isArchived ? "Archived" : "Restored") '\(item.name)'.")
    }

    func delete() async throws -> ActionResult {
        try await items.delete(id)
        return .leave("Deleted '\(item?.name ?? "\(id)")'.", showing: __NAME__Destination())
    }
}
