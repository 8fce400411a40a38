@_spi(Host) internal import AtriumKit
internal import AtriumNavigation

extension Content {
    /// How far the first thing is of which the content tells it, in words: `3 of 10 (30 %)`; nil where none does.
    var count: String? {
        for block in blocks {
            switch block {
            case .progress(let progress): if let count = progress.countText { return count }
            case .group(_, let inner): if let count = inner.count { return count }
            default: continue
            }
        }
        return nil
    }
}

extension Interpreter.Target {
    /// How far the action is, by the screen on which it runs.
    @MainActor
    var count: String? {
        (try? coordinator.currentScreen())?.view.body.count
    }
}
