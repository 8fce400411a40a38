import AtriumKit
import Observation

/// The import, export or deletion of many of one screen: one at a time, with its progress.
@MainActor
@Observable
final class EntityTransfers {
    /// What is under way; nil where nothing is.
    private(set) var current: EntityTransfer?

    /// Shows the progress of `work` while it is under way.
    ///
    /// - Parameters:
    ///   - label: What is going on, as the beginning of a line.
    ///   - work: Gets where to tell how many rows are done, from any thread.
    /// - Returns: What the work returns.
    /// - Throws: ``EntityError/transferUnderWay``, or what the work throws.
    func run<Value>(
        _ label: String, _ work: (@escaping @Sendable (Int) -> Void) async throws -> Value
    ) async throws -> Value {
        guard current == nil else { throw EntityError.transferUnderWay }
        current = EntityTransfer(label: label)
        defer { current = nil }
        let relay = ProgressRelay { [weak self] in self?.current?.completed = $0 }
        return try await work { relay.send($0) }
    }
}
