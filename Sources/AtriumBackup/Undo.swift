internal import AtriumKit

/// The state before the last change in a sandbox.
///
/// The host copies the state before each command that changes data, without waiting for the disk. If the command
/// succeeds, its copy replaces the former one. One copy is kept until the next change, a reset or the end of the
/// sandbox.
@MainActor
package final class Undo {
    private let snapshots: Snapshots
    private var last: (command: String, copy: Copy)?
    private var count = 0
    /// The number of resets, after which older copies are of no use.
    private var resets = 0

    private typealias Copy = Result<String, any Error>

    /// - Parameter snapshots: Those in the folder of the sandbox.
    package init(_ snapshots: Snapshots) {
        self.snapshots = snapshots
        snapshots.synchronizes = false
    }

    /// Performs a command so that it can be undone.
    ///
    /// A failure to copy the state is reported by ``undo()``, not by the command.
    package func performing<Value>(
        _ command: String, _ body: @MainActor () async throws -> Value
    ) async throws -> Value {
        let (resets, before, copy) = await copy()
        do {
            let value = try await body()
            let isChange = await snapshots.hasChanged(since: before)
            if isChange, resets == self.resets {
                removeLast()
                last = (command, copy)
            } else {
                remove(copy)
            }
            return value
        } catch {
            remove(copy)
            throw error
        }
    }

    private func copy() async -> (resets: Int, before: StateMark?, copy: Copy) {
        let resets = resets
        var mark: StateMark?
        do {
            mark = try await snapshots.mark()
            count += 1
            let name = "undo-\(count)"
            // A command must not wait for another's long work on the data.
            _ = try await snapshots.copy(to: name, patience: .milliseconds(100))
            return (resets, mark, .success(name))
        } catch {
            return (resets, mark, .failure(error))
        }
    }

    /// Returns to the state before the last change.
    ///
    /// - Returns: The command that made the change.
    /// - Throws: ``BackupError`` and others; nothing has changed then.
    package func undo() async throws -> String {
        guard let last else { throw BackupError.nothingToUndo }
        let name: String
        switch last.copy {
        case .success(let copy): name = copy
        case .failure(let error): throw BackupError.notUndoable(last.command, error)
        }
        // A command that ends during the reset has a copy of its own, and must not remove this one.
        self.last = nil
        let resets = resets
        do {
            _ = try await snapshots.reset(name)
        } catch {
            if self.last == nil, resets == self.resets { self.last = last } else { remove(last.copy) }
            throw error
        }
        remove(last.copy)
        return last.command
    }

    /// Removes the copy after a reset, which has replaced the state after it.
    package func forget() {
        resets += 1
        removeLast()
    }

    private func removeLast() {
        if let last { remove(last.copy) }
        last = nil
    }

    private func remove(_ copy: Copy) {
        if case .success(let name) = copy { snapshots.remove(name) }
    }
}

extension BackupError {
    static let nothingToUndo = BackupError(
        "nothingToUndo", "There is no change to undo.",
        hint: "'snapshot undo' takes back the last change since the start of the sandbox or the last reset.")

    static func tooLargeToUndo(_ limit: Int) -> BackupError { unboundedUndo("\(limit >> 20) MB of data") }

    static func tooManyToUndo(_ limit: Int) -> BackupError { unboundedUndo("\(limit) files and folders") }

    private static func unboundedUndo(_ limit: String) -> BackupError {
        BackupError(
            "tooLargeToUndo", "Up to \(limit) are copied before a change; there were more.",
            hint: "Save the state before a change: snapshot save NAME")
    }

    static func notUndoable(_ command: String, _ cause: any Error) -> BackupError {
        let error = cause as? any ExplainedError
        return BackupError(
            "notUndoable",
            "'\(command)' can't be undone. " + (error?.message ?? "The copy before it failed: \(cause)."),
            hint: error?.hint ?? "Save the state before a change: snapshot save NAME", cause: cause)
    }
}
