@_spi(Host) internal import AtriumKit
internal import AtriumLibraries

/// The work in progress in the host: commands that have begun and not ended.
///
/// A module change lets each command finish in the state in which it began.
@MainActor
package final class RunningWork {
    private var held: [Int: Container?] = [:]
    private var nextNumber = 0
    /// True while a reset to a snapshot keeps new commands out.
    package var isPaused = false

    /// - Returns: The number of the new work item, for ``end(_:)``.
    /// - Throws: ``ModuleError`` during a reset to a snapshot.
    package func begin() throws -> Int {
        guard !isPaused else { throw ModuleError.resetRuns }
        nextNumber += 1
        held.updateValue(nil, forKey: nextNumber)
        return nextNumber
    }

    package func end(_ number: Int) { held.removeValue(forKey: number) }

    /// True if no command is in progress.
    package var isIdle: Bool { held.isEmpty }

    /// Keeps the present state for all work that began in it; a state keeps its successors.
    func hold(_ container: Container) {
        let began = held.filter { $0.value == nil }.keys
        guard !began.isEmpty else { return }
        let state = container.hold()
        for number in began { held.updateValue(state, forKey: number) }
    }
}

extension ModuleError {
    fileprivate static let resetRuns = ModuleError(
        "snapshotBusy", "A reset to a snapshot is running; this action has not begun.",
        hint: "Try again when the reset has ended.")
}
