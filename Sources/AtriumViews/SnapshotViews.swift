package import AtriumBackup
@_spi(Host) package import AtriumKit

@MainActor
package enum SnapshotViews {
    package static func detail(_ name: String, _ snapshot: Snapshot) -> Content {
        Content {
            Field("name", label: "Snapshot", name)
            Field("created", snapshot.created)
            Field("bytes", snapshot.bytes)
            Field("databases", snapshot.databases.count)
        }
    }

    package static func list(_ snapshots: Snapshots) -> Content {
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
