/// The tasks that something runs on its own account, each under a name: a stack entry, or a generation of a
/// module.
///
/// They are cancelled when their owner leaves; those that do not heed it are named.
@MainActor
public final class OwnedTasks {
    private var running: [Int: (name: String, task: Task<Void, Never>)] = [:]
    private var nextNumber = 0
    private var isOver = false
    /// Called when the last of the tasks has ended after ``cancel()``.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    @_spi(Host) public nonisolated init() {}

    /// Runs something in the background until its owner leaves; once it has left, nothing is run.
    ///
    /// - Parameters:
    ///   - name: What it does, in a word or two.
    ///   - operation: What is run; ends soon after it is cancelled.
    public func run(_ name: String, _ operation: @escaping @MainActor () async -> Void) {
        guard !isOver else { return }
        nextNumber += 1
        let number = nextNumber
        let task = Task {
            await operation()
            self.end(number)
        }
        running[number] = (name, task)
    }

    /// Runs something on the owner's account and waits for it.
    ///
    /// - Throws: What it throws; `CancellationError` where the owner has left, or leaves meanwhile and the
    ///   operation heeds it.
    @_spi(Host) public func value<Value: Sendable>(
        _ name: String, _ operation: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        guard !isOver else { throw CancellationError() }
        let outcome = Outcome<Value>()
        run(name) { outcome.result = await Self.result(of: operation) }
        let number = nextNumber
        await withTaskCancellationHandler {
            await running[number]?.task.value
        } onCancel: {
            Task { @MainActor in self.running[number]?.task.cancel() }
        }
        guard let result = outcome.result else { throw CancellationError() }
        return try result.get()
    }

    private static func result<Value>(
        of operation: @MainActor () async throws -> Value
    ) async -> Result<Value, any Error> {
        do { return .success(try await operation()) } catch { return .failure(error) }
    }

    /// Where a task leaves what came of it.
    private final class Outcome<Value> {
        var result: Result<Value, any Error>?
    }

    private func end(_ number: Int) {
        running[number] = nil
        guard running.isEmpty else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// The names of the tasks that run, sorted.
    @_spi(Host) public var names: [String] { running.values.map(\.name).sorted() }

    /// How many tasks run.
    @_spi(Host) public var count: Int { running.count }

    /// Cancels all of them; those that are started later never run.
    @_spi(Host) public func cancel() {
        isOver = true
        for (_, task) in running.values { task.cancel() }
    }

    /// Waits until all of them have ended.
    @_spi(Host) public func finish() async {
        guard !running.isEmpty else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
