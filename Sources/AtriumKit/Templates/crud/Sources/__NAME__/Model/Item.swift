import AtriumKit

/// An item that users keep track of.
struct Item: Identifiable, Hashable, Sendable {
    /// Assigned when the item is created, and never reused.
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

    /// Returns the item with the values of a draft.
    func applying(_ draft: ItemDraft) -> Item {
        Item(
            id: id, name: draft.name, category: draft.category, quantity: draft.quantity,
            isArchived: isArchived)
    }
}

/// The part of the items to list.
struct ItemQuery: Hashable, Sendable {
    static let pageSize = 20

    /// The number of the page, from 1.
    var page = 1
    var category: String?

    var offset: Int { page.subtractingClamped(1).multipliedClamped(by: Self.pageSize) }
}

struct ItemPage: Hashable, Sendable {
    var items: [Item] = []
    /// The number of items on all pages.
    var total = 0

    /// The number of the last page.
    var lastNumber: Int { max(1, (total + ItemQuery.pageSize - 1) / ItemQuery.pageSize) }
}
