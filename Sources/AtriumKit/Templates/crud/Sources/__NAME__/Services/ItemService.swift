/// The store of the items.
protocol ItemService: Sendable {
    /// Returns a page of the items, by name.
    func page(_ query: ItemQuery) async throws -> ItemPage
    func item(_ id: Int) async throws -> Item
    /// Returns the categories that items are in, by name.
    func categories() async throws -> [String]
    func create(_ draft: ItemDraft) async throws -> Item
    func update(_ item: Item) async throws
    func delete(_ id: Int) async throws
}
