internal import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

/// The state before the last change in a sandbox.
///
/// The host copies the state before each command that changes data, without waiting for the disk. If the command
/// succeeds, its copy replaces the former one. One copy is kept until the next change, a reset or the end of the
/// sandbox.
@MainActor
package final class Undo {
    /// The most data to copy before a change; copying it takes some milliseconds.
    private static let limit = 8 << 20

    private let snapshots: Snapshots
    private var last: (command: String, copy: Result<String, any Error>)?
    private var count = 0

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
        let copy = await copy()
        do {
            let value = try await body()
            forget()
            last = (command, copy)
            return value
        } catch {
            remove(copy)
            throw error
        }
    }

    private func copy() async -> Result<String, any Error> {
        do {
            let size = snapshots.presentSize
            guard size <= Self.limit else { throw BackupError.tooLargeToUndo(size, limit: Self.limit) }
            count += 1
            // A command must not wait for another's long work on the data.
            let patience = snapshots.patience
            snapshots.patience = .milliseconds(100)
            defer { snapshots.patience = patience }
            let name = "undo-\(count)"
            _ = try await snapshots.copy(to: name)
            return .success(name)
        } catch {
            return .failure(error)
        }
    }

    /// Returns to the state before the last change.
    ///
    /// - Returns: The command that made the change.
    /// - Throws: ``BackupError`` and others; nothing has changed then.
    package func undo() async throws -> String {
        guard let last else { throw BackupError.nothingToUndo }
        switch last.copy {
        case .success(let name): _ = try await snapshots.reset(name)
        case .failure(let error): throw BackupError.notUndoable(last.command, error)
        }
        forget()
        return last.command
    }

    /// Removes the copy; a reset has replaced the state after it.
    package func forget() {
        if let last { remove(last.copy) }
        last = nil
    }

    private func remove(_ copy: Result<String, any Error>) {
        if case .success(let name) = copy { snapshots.remove(name) }
    }
}

extension BackupError {
    static let nothingToUndo = BackupError(
        "nothingToUndo", "There is no change to undo.",
        hint: "'snapshot undo' takes back the last change since the start of the sandbox or the last reset.")

    static func tooLargeToUndo(_ size: Int, limit: Int) -> BackupError {
        BackupError(
            "tooLargeToUndo",
            "Up to \(limit >> 20) MB of data are copied before a change; there were \(size >> 20) MB.",
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
