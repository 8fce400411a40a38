/// A navigation that is under way.
@MainActor
final class RunningNavigation {
    let number: Int
    var hasEnded = false
    private var isCancelled = false

    /// Nil while it has not waited for anything yet: only what it calls itself can come in then.
    var task: Task<Arrival, any Error>? {
        didSet { if isCancelled { task?.cancel() } }
    }

    init(_ number: Int) {
        self.number = number
    }

    func cancel() {
        isCancelled = true
        task?.cancel()
    }
}
