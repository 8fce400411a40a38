import AtriumKit
import Observation

/// How the list is shown; each stack entry has its own, which lasts until the screen is left.
@MainActor
@Observable
final class CatalogPresentation: ViewModel {
    private(set) var isCompact = false

    func toggleCompact() -> ActionResult {
        isCompact.toggle()
        return .updated
    }
}
