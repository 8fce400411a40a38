internal import AtriumKit
internal import AtriumRuntime

/// How explanations and events are shown.
enum ExplainViews {
    static func why(_ explanation: ModuleExplanation) -> Content {
        Content {
            Field("name", explanation.name)
            Field("state", explanation.state)
            Field("why", explanation.sentences.first)
            if explanation.sentences.count > 1 {
                Field("besides", explanation.sentences.dropFirst().joined(separator: " "))
            }
            if !explanation.requirements.isEmpty {
                Table(explanation.requirements, key: "requires") {
                    Column("module", label: "Requires") { $0.module }
                    Column("range") { $0.range }
                    Column("version", label: "Installed") { $0.version }
                    Column("state") { $0.state }
                    Column("satisfied") { $0.isSatisfied }
                }
            }
            if !explanation.dependents.isEmpty {
                Field("requiredBy", label: "Required by", NameList(explanation.dependents))
            }
            if !explanation.libraries.isEmpty {
                Table(explanation.libraries, key: "libraries") {
                    Column("version") { $0.version }
                    Column("verdict", label: "Choice") { $0.verdict }
                    Column("library") { $0.path }
                }
            }
            if let hint = explanation.hint { Notice(.information, "What can be done:", hint: hint) }
        }
    }

    static func events(_ events: some Sequence<JournalEvent>) -> Content {
        let events = Array(events)
        return Content {
            if events.isEmpty { Notice(.information, "Nothing has happened yet.") }
            Table(events, key: "events") {
                Column("time") { EventTime(text: $0.time) }
                Column("event") { $0.kind }
                Column("module") { $0.module }
                Column("version") { $0.version }
                Column("generation", isHidden: true) { $0.generation }
                Column("digest", isHidden: true) { $0.digest }
                Column("process", isHidden: true) { $0.process }
                Column("microseconds", label: "µs") { $0.microseconds.map { Int($0) } }
                Column("detail") { $0.detail }
            }
        }
    }
}

/// The time of an event: month, day and time for people, the complete timestamp for programs.
private struct EventTime: Displayable {
    let text: String

    /// From `2026-11-21T12:57:10Z`.
    var displayText: String {
        String(text.dropFirst(5).prefix(14)).replacing("T", with: " ")
    }

    var json: JSONValue { .string(text) }
}
