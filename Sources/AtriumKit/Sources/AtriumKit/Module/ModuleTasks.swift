/// The tasks that a generation of a module runs on its own account, each under a name.
///
/// The host cancels them when the generation stops, and names those that do not heed it.
@MainActor
@_spi(Host) public final class ModuleTasks {
    private var running: [Int: (name: String, task: Task<Void, Never>)] = [:]
    private var nextNumber = 0
    private var isOver = false
    /// Called when the last of the tasks has ended after ``cancel()``.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated init() {}

    /// The names of the tasks that run, sorted.
    public var names: [String] { running.values.map(\.name).sorted() }

    /// How many tasks run.
    public var count: Int { running.count }

    func start(_ name: String, _ operation: @escaping @MainActor () async -> Void) {
        guard !isOver else { return }
        nextNumber += 1
        let number = nextNumber
        let task = Task {
            await operation()
            self.end(number)
        }
        running[number] = (name, task)
    }

    private func end(_ number: Int) {
        running[number] = nil
        guard running.isEmpty else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Cancels all of them; those that are started later never run.
    public func cancel() {
        isOver = true
        for (_, task) in running.values { task.cancel() }
    }

    /// Waits until all of them have ended.
    public func finish() async {
        guard !running.isEmpty else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
