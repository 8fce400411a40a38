package import AtriumHosts
@_spi(Host) package import AtriumKit
package import AtriumModules
internal import AtriumText

/// The events of the modules: for users grouped by start or change, for programs a row each.
package enum EventViews {
    package static func list(_ events: some Sequence<JournalEvent>, of count: Int) -> Content {
        let events = Array(events)
        let lines = grouped(events).flatMap(lines)
        return Content {
            if events.isEmpty { Notice(.information, "Nothing has happened yet.") }
            Table(lines) {
                Column("time", label: "When") { $0.time }
                Column("event") { $0.event }
                Column("module") { $0.module }
                Column("version") { $0.version }
                if lines.contains(where: { $0.took != nil }) { Column("took") { $0.took } }
                Column("detail") { $0.detail }
            }
            // Under the same key, so that programs get these rows.
            Table(events) {
                Column("time", isHidden: true) { $0.time }
                Column("event", isHidden: true) { $0.kind }
                Column("module", isHidden: true) { $0.module }
                Column("version", isHidden: true) { $0.version }
                Column("generation", isHidden: true) { $0.generation }
                Column("digest", isHidden: true) { $0.digest }
                Column("process", isHidden: true) { $0.process }
                Column("microseconds", isHidden: true) { $0.microseconds.map { Int($0) } }
                Column("detail", isHidden: true) { $0.detail }
                Column("change", isHidden: true) { $0.change }
                Column("cause", isHidden: true) { $0.cause }
                Column("costs", isHidden: true) { Worded("", $0.costs?.json ?? .null) }
            }
            ClosingLine.total(count, "event", events.count < count ? "the last \(events.count) shown" : nil)
        }
    }

    /// The events of several hosts, a row each.
    package static func list(_ events: [SharedEvent]) -> Content {
        Content {
            if events.isEmpty { Notice(.information, "Nothing has happened yet.") }
            Table(events) {
                Column("time", label: "When") { Worded(time: $0.event.time) }
                Column("host") { $0.host }
                Column("process") { $0.event.process }
                Column("event") { $0.event.kind }
                Column("module") { $0.event.module }
                Column("version") { $0.event.version }
                Column("detail") { $0.event.detail }
            }
            ClosingLine.total(events.count, "event")
        }
    }

    private struct Line {
        var time: Worded?
        var event: String
        var module: String?
        var version: String?
        var took: String?
        var detail: String?

        init(_ event: JournalEvent) {
            time = Worded(time: event.time)
            self.event = event.kind
            (module, version, detail) = (event.module, event.version, event.detail)
            took = event.microseconds.map(Self.words)
        }

        private static func words(_ microseconds: Int64) -> String {
            if microseconds < 1_000 { return "\(microseconds) µs" }
            guard microseconds < 1_000_000 else { return "\(microseconds / 1_000_000) s" }
            return Duration.microseconds(microseconds).decimal(in: .milliseconds(1), digits: 1) + " ms"
        }
    }

    /// Consecutive events of one start or change.
    private static func grouped(_ events: [JournalEvent]) -> [[JournalEvent]] {
        events.reduce(into: []) { groups, event in
            if let change = event.change, groups.last?.last?.change == change {
                groups[groups.count - 1].append(event)
            } else {
                groups.append([event])
            }
        }
    }

    /// The line of a single event, or a heading with the events below it.
    private static func lines(_ group: [JournalEvent]) -> [Line] {
        guard group.count > 1 else { return group.map(Line.init) }
        var heading = Line(group[0])
        heading.event = name(of: group[0].cause)
        (heading.module, heading.version) = (nil, nil)
        let kinds = group.map(\.kind)
        heading.detail = kinds.uniqued.map { kind in "\(kinds.count { $0 == kind }) \(kind)" }
            .joined(separator: ", ")
        // Each module has the time of its own start, but that of a whole change.
        let isStart = group[0].cause == ChangeRequest.Cause.startUp.rawValue
        heading.took = isStart ? nil : group.lazy.compactMap { Line($0).took }.first
        let steps = group.map { event in
            var line = Line(event)
            line.time = nil
            if !isStart { line.took = nil }
            line.event = "  " + line.event
            return line
        }
        return [heading] + steps
    }

    private static func name(of cause: String?) -> String {
        switch cause {
        case "watch": "new build"
        case "onDemand": "on demand"
        case "command", nil: "change"
        default: cause ?? ""
        }
    }
}
