internal import AtriumBackup
internal import AtriumHosts
@_spi(Host) internal import AtriumKit
internal import AtriumModules
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
                try await confirmForOtherHosts(name)
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

    private func snapshotsOfHost() throws -> Snapshots {
        try require(.local, "Snapshots hold the data")
        guard let snapshots = host.snapshots else {
            throw ShellError("unsupported", "This host keeps no data folder, so it has no snapshots.")
        }
        return snapshots
    }

    /// Asks first if other hosts use the same database.
    ///
    /// - Throws: ``UnconfirmedChange``.
    private func confirmForOtherHosts(_ name: String) async throws {
        guard let group = host.group else { return }
        let others = try await group().hosts().filter { !$0.isPresent }.map(\.name).sorted()
        guard !others.isEmpty else { return }
        let subject = others.count == 1 ? "The host \(others[0]) uses" : "The hosts \(listed(others)) use"
        let doubt =
            "\(subject) the same database. A reset to '\(name)' replaces the data for all; other hosts show "
            + "the new rows and keep their stacks."
        guard UnconfirmedChange.confirmed.contains(doubt) else { throw UnconfirmedChange(doubts: [doubt]) }
    }

    private func listed(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
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
