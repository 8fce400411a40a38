/// The named tasks of a stack entry or a generation; cancelled with it, and reported if they are still
/// running.
@MainActor
public final class OwnedTasks {
    private var running: [Int: (name: String, task: Task<Void, Never>)] = [:]
    private var nextNumber = 0
    private var isOver = false
    /// Resumed when the last of the tasks has ended.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    @_spi(Host) public nonisolated init() {}

    /// Runs a task, which should end soon after it is cancelled; does nothing once the owner has left.
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

    /// Runs a task of the owner and waits for its value; throws `CancellationError` if the owner has left.
    @_spi(Host) public func value<Value: Sendable>(
        _ name: String, _ operation: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        guard !isOver else { throw CancellationError() }
        let promise = Promise<Value>()
        run(name) {
            do { promise.settle(.success(try await operation())) } catch { promise.settle(.failure(error)) }
        }
        let number = nextNumber
        await withTaskCancellationHandler {
            await running[number]?.task.value
        } onCancel: {
            Task { @MainActor in self.running[number]?.task.cancel() }
        }
        guard let result = promise.result else { throw CancellationError() }
        return try result.get()
    }

    private func end(_ number: Int) {
        running[number] = nil
        guard running.isEmpty else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// The names of the running tasks, sorted.
    @_spi(Host) public var names: [String] { running.values.map(\.name).sorted() }

    /// The number of running tasks.
    @_spi(Host) public var count: Int { running.count }

    /// Cancels all tasks; later ones never run.
    @_spi(Host) public func cancel() {
        isOver = true
        for (_, task) in running.values { task.cancel() }
    }

    /// Waits until all tasks have ended; does not cancel them.
    @_spi(Host) public func finish() async {
        guard !running.isEmpty else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
