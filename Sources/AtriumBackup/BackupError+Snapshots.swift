internal import AtriumKit
internal import AtriumLibraries

extension BackupError {
    static func noSnapshot(_ name: String, nearest: String?) -> BackupError {
        BackupError(
            .notFound, "There is no snapshot '\(name)'.",
            hint: nearest.map { "Did you mean '\($0)'?" } ?? "snapshot list")
    }

    static func snapshotDamaged(
        _ name: String, _ what: String, _ cause: (any Error)? = nil
    ) -> BackupError {
        BackupError(
            "snapshotDamaged", "The snapshot '\(name)' is damaged: \(what). Nothing was changed.",
            hint: "Use another one; this one goes with: snapshot delete \(name)", cause: cause)
    }

    static func snapshotExists(_ name: String) -> BackupError {
        guard name != Snapshots.former else {
            return BackupError(
                "snapshotExists", "'\(name)' is the name of the state before the last reset.",
                hint: "Choose another name.")
        }
        return BackupError(
            "snapshotExists", "There is a snapshot '\(name)' already.",
            hint: "Choose another name, or: snapshot delete \(name)")
    }

    static func snapshotNewer(_ name: String, _ made: String, than known: String) -> BackupError {
        BackupError(
            "snapshotNewer",
            "The snapshot '\(name)' is from a newer version of Atrium: \(made); this one is \(known). "
                + "Nothing was changed.", hint: "Reset to it with that version or a later one.")
    }

    static func snapshotModule(_ name: String, _ module: String) -> BackupError {
        BackupError(
            "snapshotDiffers",
            "The snapshot '\(name)' has data of module '\(module)', which this host does not have. "
                + "Nothing was changed.", hint: "Add the module first: module add PATH")
    }

    static func snapshotWithout(_ name: String, _ module: String) -> BackupError {
        BackupError(
            "snapshotDiffers",
            "The snapshot '\(name)' was saved without module '\(module)', whose data a reset would remove. "
                + "Nothing was changed.", hint: "Save a snapshot with it, or: module remove \(module)")
    }

    static func snapshotSchema(
        _ name: String, _ module: String, _ saved: String, has present: String
    ) -> BackupError {
        BackupError(
            "snapshotNewer",
            "The snapshot '\(name)' has data of module '\(module)' \(saved), which the present version "
                + "\(present) can't read. Nothing was changed.", hint: "module update \(module)")
    }

    static let commandRuns = BackupError(
        "snapshotBusy", "A command is still running. Nothing was changed.",
        hint: "Wait until it has ended, or cancel it: jobs")

    static let dataInUse = BackupError(
        "snapshotBusy",
        "The data are in use: by a backup, by another process, or by a long transaction. "
            + "Nothing was changed.", hint: "Try again.")

    static let snapshotOfOriginal = BackupError(
        "sandbox", "A sandbox shares the snapshots of its original, and deletes none.",
        hint: "Delete it at a prompt of the original.")

    static let resetPending = BackupError(
        "resetIncomplete", "An earlier reset of this data folder is not complete. Nothing was changed.",
        hint: "Restart the host on it: its start completes the reset.")

    static let resetCompleted = BackupError(
        "resetCompleted", "A reset to a snapshot was interrupted; it is now completed.", hint: "snapshot list"
    )

    static func halfReset(_ folder: String, _ error: any Error, _ second: any Error) -> BackupError {
        BackupError(
            "resetIncomplete",
            "The data folder '\(folder)' is partly reset: \(ModuleError.message(of: error)) What was done could "
                + "not be undone: \(ModuleError.message(of: second))",
            hint: "Restart the host: its start completes the reset.", cause: error)
    }
}
