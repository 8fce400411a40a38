import AtriumKit

/// The items, and the rules for reading and changing them.
@MainActor
final class ItemRepository {
    private let items: any ItemService

    init(items: any ItemService) {
        self.items = items
    }

    func page(_ query: ItemQuery) async throws -> ItemPage {
        try ValidationError.check(ValidationFinding.checking("page", query.page, within: 1...1_000_000))
        return try await items.page(query)
    }

    func item(_ id: Int) async throws -> Item { try await items.item(id) }

    func categories() async throws -> [String] { try await items.categories() }

    /// Returns a category as the items spell it; found in any case.
    func category(named name: String) async throws -> String {
        let categories = try await items.categories()
        let key = name.trimmed.lowercased()
        guard let found = categories.first(where: { $0.lowercased() == key }) else {
            throw ServiceError.noCategory(name, nearest: NearestName.of(name, among: categories))
        }
        return found
    }

    func create(_ draft: ItemDraft) async throws -> Item {
        try ValidationError.check(draft.validate())
        return try await items.create(draft)
    }

    func update(_ id: Int, _ draft: ItemDraft) async throws -> Item {
        try ValidationError.check(draft.validate())
        let item = try await items.item(id)
        guard !item.isArchived else { throw ServiceError.archived(item) }
        let changed = item.applying(draft)
        try await items.update(changed)
        return changed
    }

    func setArchived(_ id: Int, _ isArchived: Bool) async throws -> Item {
        var item = try await items.item(id)
        item.isArchived = isArchived
        try await items.update(item)
        return item
    }

    func delete(_ id: Int) async throws { try await items.delete(id) }
}
