@_spi(Host) package import AtriumKit
package import AtriumLibraries
internal import AtriumText

package enum LogViews {
    package static func list(_ lines: [LogLine]) -> Content {
        Content {
            if lines.isEmpty { Notice(.information, "The log has no such line.") }
            Table(lines) {
                Column("time", label: "When") { Worded(time: $0.time) }
                Column("level") { LogLevels.name(of: $0.level) }
                Column("module") { $0.module }
                Column("message") { $0.message }
                Column("command") { $0.origin?.command }
                Column("scene", isHidden: true) { $0.origin?.scene }
            }
        }
    }

    package static func text(of line: LogLine) -> String {
        let origin = line.origin.map { " (\($0.command.excerpt))" } ?? ""
        return
            "\(Worded(time: line.time).displayText) \(LogLevels.name(of: line.level)) \(line.module): \(line.message)\(origin)"
    }

    package static func levels(_ levels: LogLevels) -> Content {
        let names = Set(levels.modules.keys).union(levels.limited.keys).sorted()
        return Content {
            Table([String?.none] + names) {
                Column("module") { $0 ?? "all others" }
                Column("level") { name in LogLevels.name(of: name.map(levels.level) ?? levels.standard) }
                Column("left") { name in
                    name.flatMap { levels.limited[$0] }.map {
                        ContinuousClock.now.duration(to: $0.end).words
                    }
                }
            }
        }
    }
}
