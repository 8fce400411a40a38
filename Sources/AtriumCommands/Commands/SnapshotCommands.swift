internal import AtriumBackup
@_spi(Host) internal import AtriumKit
internal import AtriumText
internal import AtriumViews

/// The commands about named copies of the host's state.
extension HostCommands {
    @ActionsBuilder var snapshots: [Action] {
        Action(
            "snapshot", "List, save, reset or delete copies of the host's state, or undo a change",
            effect: .destroys,
            asking: "The snapshot can't be brought back. Delete it?",
            Argument<SnapshotStep?>("step", "What to do; by default, list them"),
            Argument<String?>(
                "name", "The snapshot", suggestions: offersNames ? host.snapshots?.names ?? [] : [])
        ) { step, name in
            let snapshots = try snapshotsOfHost()
            guard let step, step != .list else { return .content(SnapshotViews.list(snapshots)) }
            if step == .undo {
                let command = try await undoOfSandbox().undo()
                return .content(Content(), "The state is as before '\(command)'.")
            }
            guard let name else {
                throw ArgumentError(
                    .missingArgument, "'snapshot \(step)' needs a name.", hint: "snapshot \(step) NAME")
            }
            switch step {
            case .list, .undo, .save:
                guard SceneName.isValid(name) else {
                    throw ShellError(
                        "badSnapshotName", "'\(name.shortened)' can't be the name of a snapshot.",
                        hint: SceneName.rule, category: .usage)
                }
                return .content(
                    SnapshotViews.detail(name, try await snapshots.save(name)),
                    "Saved. 'snapshot reset \(name)' goes back to it.")
            case .reset:
                return .content(
                    SnapshotViews.detail(name, try await snapshots.reset(name)),
                    "The state is that of '\(name)' again.")
            case .delete:
                try await snapshots.delete(name)
                return .content(Content(), "Deleted.")
            }
        }
    }

    /// - Throws: ``ShellError`` if the host is no sandbox.
    private func undoOfSandbox() throws -> Undo {
        guard let undo = host.undo else {
            throw ShellError(
                "unsupported",
                "'snapshot undo' takes back changes in a sandbox; this host keeps no copies of its data.",
                hint: "Start one: atrium --sandbox. Or save the state before a change: snapshot save NAME",
                category: .refused)
        }
        return undo
    }

    /// - Throws: ``ShellError`` if the data are not in files that a snapshot can hold.
    private func snapshotsOfHost() throws -> Snapshots {
        try require(.local, "Snapshots hold the data")
        guard let snapshots = host.snapshots else {
            throw ShellError(
                "unsupported",
                "Snapshots hold data in files only; the data of this host are on a database server.",
                hint: "Start a host on files: leave out '--database'.")
        }
        return snapshots
    }
}

enum SnapshotStep: String, CaseIterable, ArgumentValue {
    case list, save
    /// The state before stays as a snapshot.
    case reset
    case delete
    /// The state before the last change, in a sandbox.
    case undo

    var effect: Action.Effect {
        switch self {
        case .list: .reads
        case .save, .reset, .undo: .changes
        case .delete: .destroys
        }
    }
}
