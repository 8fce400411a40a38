import AtriumKit

/// Something that people keep track of.
struct Item: Identifiable, Hashable, Sendable {
    /// Given when the item is created, and never reused.
    let id: Int
    var name: String
    var category: String?
    var quantity: Int
    var isArchived = false
}

extension Item {
    init(id: Int, _ draft: ItemDraft) {
        self.init(id: id, name: draft.name, category: draft.category, quantity: draft.quantity)
    }

    /// The item with new values for what people fill in.
    func applying(_ draft: ItemDraft) -> Item {
        Item(
            id: id, name: draft.name, category: draft.category, quantity: draft.quantity,
            isArchived: isArchived)
    }
}

/// Which part of the items is listed.
struct ItemQuery: Hashable, Sendable {
    static let pageSize = 20

    /// From 1.
    var page = 1
    var category: String?

    var offset: Int { page.subtractingClamped(1).multipliedClamped(by: Self.pageSize) }
}

struct ItemPage: Hashable, Sendable {
    var items: [Item] = []
    /// How many items all pages have.
    var total = 0

    /// The number of the last page.
    var lastNumber: Int { max(1, (total + ItemQuery.pageSize - 1) / ItemQuery.pageSize) }
}
