import AtriumKit

/// Invented items, forgotten when the host ends; in scenario edge as long and as many as items can be.
actor MockItemService: ItemService {
    private let behavior: MockBehavior
    private var usual = [
        Item(id: 1, name: "Blue lamp", category: "Lighting", quantity: 2),
        Item(id: 2, name: "Desk", category: "Furniture", quantity: 1),
        Item(id: 3, name: "Old chair", category: "Furniture", quantity: 4, isArchived: true),
    ]
    private var edge = [
        Item(
            id: 1, name: String(repeating: "Lamp ", count: 20), category: "Zażółć gęślą jaźń",
            quantity: 9_999),
        Item(id: 2, name: "灯 💡", quantity: 0),
    ]
    private var items: [Item] {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }
    private var lastID = 3

    init(behavior: MockBehavior) {
        self.behavior = behavior
    }

    func page(_ query: ItemQuery) async throws -> ItemPage {
        try await play("page", ["page": "\(query.page)"])
        let found = items.filter { query.category == nil || $0.category == query.category }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
        return ItemPage(
            items: Array(found.dropFirst(query.offset).prefix(ItemQuery.pageSize)), total: found.count)
    }

    func item(_ id: Int) async throws -> Item {
        try await play("item", ["id": "\(id)"])
        return items[try index(id)]
    }

    func categories() async throws -> [String] {
        try await play("categories")
        return Set(items.compactMap(\.category)).sorted()
    }

    func create(_ draft: ItemDraft) async throws -> Item {
        try await play("create", ["name": draft.name])
        lastID += 1
        let item = Item(id: lastID, draft)
        items.append(item)
        return item
    }

    func update(_ item: Item) async throws {
        try await play("update", ["id": "\(item.id)"])
        items[try index(item.id)] = item
    }

    func delete(_ id: Int) async throws {
        try await play("delete", ["id": "\(id)"])
        items.remove(at: try index(id))
    }

    private func play(_ call: String, _ arguments: [String: String] = [:]) async throws {
        try await behavior.play(
            call, arguments, failingWith: ServiceError.unavailable("The item service", mock: "ItemService"))
    }

    private func index(_ id: Int) throws -> Int {
        guard let index = items.firstIndex(where: { $0.id == id }) else { throw ServiceError.noItem(id) }
        return index
    }
}
