/// Told when the code that runs begins to wait for something that it presented.
@MainActor
package final class PresentationListener: Sendable {
    private let didSuspend: @MainActor (StackEntry) -> Void

    /// The listener of the task that runs.
    @TaskLocal static var current: PresentationListener?

    package init(_ didSuspend: @escaping @MainActor (StackEntry) -> Void) {
        self.didSuspend = didSuspend
    }

    /// Runs what may present something.
    package func listen<Value>(to body: @MainActor () async throws -> Value) async rethrows -> Value {
        try await Self.$current.withValue(self, operation: body)
    }

    func suspended(at entry: StackEntry) {
        didSuspend(entry)
    }
}
