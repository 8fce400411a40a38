internal import AtriumBackup
internal import AtriumKit
internal import AtriumText

/// The commands about named copies of the host's state.
extension HostCommands {
    @ActionsBuilder var snapshots: [Action] {
        Action(
            "snapshot save", "Save the data, files, session and stacks under a name", effect: .changes,
            Argument<String>("name", "The name")
        ) { name in
            guard SceneName.isValid(name) else {
                throw ShellError(
                    "badSnapshotName", "'\(name.shortened)' can't be the name of a snapshot.",
                    hint: SceneName.rule, category: .usage)
            }
            let snapshot = try await snapshotsOfHost().save(name)
            return .content(
                SnapshotViews.detail(name, snapshot), "Saved. 'snapshot reset \(name)' goes back to it.")
        }
        Action("snapshot list", "List the snapshots", effect: .reads) {
            .content(SnapshotViews.list(try snapshotsOfHost()))
        }
        Action(
            "snapshot reset", "Go back to a snapshot; the state before is kept as '\(Snapshots.former)'",
            effect: .changes, snapshotName
        ) { name in
            let snapshot = try await snapshotsOfHost().reset(name)
            return .content(
                SnapshotViews.detail(name, snapshot),
                "The state is that of '\(name)' again.")
        }
        Action("snapshot delete", "Delete a snapshot", effect: .destroys, snapshotName) { name in
            try snapshotsOfHost().delete(name)
            return .content(Content(), "Deleted.")
        }
    }

    private var snapshotName: Argument<String> {
        Argument("name", "The snapshot", suggestions: offersNames ? host.snapshots?.names ?? [] : [])
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

@MainActor
enum SnapshotViews {
    static func detail(_ name: String, _ snapshot: Snapshot) -> Content {
        Content {
            Field("name", label: "Snapshot", name)
            Field("created", snapshot.created)
            Field("bytes", snapshot.bytes)
            Field("databases", snapshot.databases.count)
        }
    }

    static func list(_ snapshots: Snapshots) -> Content {
        let all = snapshots.all
        return Content {
            if all.isEmpty { Notice(.information, "There are no snapshots.", hint: "snapshot save NAME") }
            Table(all) {
                Column("name") { $0.name }
                Column("created") { $0.snapshot?.created }
                Column("bytes") { $0.snapshot?.bytes }
                Column("databases") { $0.snapshot?.databases.count }
                Column("version", label: "Atrium") { $0.snapshot?.host ?? "damaged" }
            }
            ClosingLine.total(all.count, "snapshot")
        }
    }
}
