import AtriumKit

/// Further actions of the screen of an item.
enum ItemActions {
    @MainActor
    static func of(_ item: RecordViewModel<Item>) -> [Action] {
        [
            Action("archive", "Keep the item from being edited") {
                try await item.update("Archived the item.") { $0.archived = true }
            },
            Action("restore", "Let the item be edited again") {
                try await item.update("Restored the item.") { $0.archived = false }
            },
        ]
    }
}
