package import AtriumKit

/// Stands for a place that can't be shown now: says why, and that it is kept.
package struct PlaceholderView: View {
    private let entry: StackEntry
    private let reason: NavigationError

    package init(_ entry: StackEntry, _ reason: NavigationError) {
        self.entry = entry
        self.reason = reason
    }

    package var body: Content {
        Title(entry.link)
        Field("module", entry.module)
        Field("placeholder", label: "Shown", false)
        Notice(.warning, reason.message + " The place is kept.", hint: reason.hint)
    }
}
