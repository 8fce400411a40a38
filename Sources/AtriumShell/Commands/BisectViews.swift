internal import AtriumKit
internal import AtriumRuntime

/// How the outcome of `module bisect` is shown.
enum BisectViews {
    static func content(_ report: BisectReport) -> Content {
        Content {
            Field("commands", report.script)
            Field("guilty", NameList(report.guilty))
            if let crash = report.crash { Field("crash", crash) }
            Table(report.tries, key: "tries") {
                Column("modules") { NameList($0.modules) }
                Column("crashed") { $0.crashed }
            }
            if report.guilty.isEmpty {
                Notice(.information, "With all modules it did not happen again.")
            } else {
                Notice(
                    .problem,
                    report.guilty.count == 1
                        ? "It takes \(report.guilty[0]), with what it requires, and no other module."
                        : "It takes \(report.guilty.joined(separator: " and ")) together, with what they require."
                )
            }
        }
    }
}
