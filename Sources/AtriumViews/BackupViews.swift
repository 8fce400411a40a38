package import AtriumBackup
package import AtriumKit
internal import AtriumText

@MainActor
package enum BackupViews {
    package static func made(_ report: Backup.Report) -> (content: Content, message: String) {
        let content = Content {
            Field("path", label: "Backup", report.path)
            Field("bytes", report.bytes)
            Field("files", report.files)
            Field("databases", report.databases)
            if let warnings = report.warnings { Field("warnings", label: "Left out", Worded(warnings)) }
        }
        return (content, "Backed up \(RecordNoun("file").counted(report.files)).")
    }

    package static func restored(_ report: Backup.RestoreReport) -> (content: Content, message: String) {
        let content = Content {
            Field("folder", label: "Data folder", report.folder)
            Field("files", report.files)
            Field("created", label: "Backup of", report.created)
            Field("former", label: "Data before", report.former)
        }
        return (content, "Restored \(RecordNoun("file").counted(report.files)).")
    }

    package static func copied(_ report: DatabaseMove.Report) -> (content: Content, message: String) {
        let content = Content {
            Table(report.copied) {
                Column("module") { $0.module }
                Column("table") { $0.name }
                Column("rows") { $0.rows }
                Column("digest") { $0.digest }
            }
            if !report.left.isEmpty { Field("left", label: "Left out", Worded(report.left)) }
        }
        let rows = report.copied.reduce(0) { $0 + ($1.wasThere ? 0 : $1.rows) }
        let there = report.copied.reduce(0) { $0 + $1.rows } - rows
        let present = there == 0 ? "" : "; \(there) \(there == 1 ? "was" : "were") there already"
        return (content, "Copied \(RecordNoun("row").counted(rows))\(present).")
    }
}
