import AtriumKit
import Observation

/// Imports, exports or deletes many entities for one screen: one operation at a time, with progress.
@MainActor
@Observable
final class EntityTransfers {
    private(set) var current: Progress?

    /// Shows the progress of `work`, which calls its argument with the number of rows done.
    func run<Value>(
        _ label: String, _ work: (@escaping @Sendable (Int) -> Void) async throws -> Value
    ) async throws -> Value {
        guard current == nil else { throw ServiceError.transferUnderWay }
        current = Progress("transfer", label: label, completed: 0)
        defer { current = nil }
        let relay = ProgressRelay { [weak self] count in
            guard let self, current != nil else { return }
            current = Progress("transfer", label: label, completed: count)
        }
        return try await work { relay.send($0) }
    }
}
