import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumText
@testable import AtriumViews

@Suite("Plans and events as people read them")
struct ChangeViewTests {
    private func step(
        _ kind: ChangePlan.Kind, _ module: String, _ from: String?, _ to: String?, _ reason: String,
        isTried: Bool = false
    ) -> ChangePlan.Step {
        ChangePlan.Step(kind: kind, module: module, from: from, to: to, reason: reason, isTried: isTried)
    }

    @Test("A plan says what would happen: what was asked for, then what would stop because of it")
    func plan() {
        var plan = ChangePlan()
        plan.steps = [
            step(.stop, "UserProfile", "1.0.0", nil, "it requires Session ^1.0.0, which is not installed."),
            step(.remove, "Session", "1.0.0", nil, "it is removed"),
            step(.load, "Counter", nil, "2.0.0", "it is added", isTried: true),
            step(.replace, "Greeter", "1.0.0", "1.0.0", "its library changed"),
            step(.replace, "Pulse", "1.0.0", "1.1.0", "its library changed"),
        ]
        plan.screens = ["counter"]

        let content = ChangeViews.plan(plan)

        #expect(
            TextRenderer(width: 100).render(content) == """
                Session would be removed.
                Counter 2.0.0 would be loaded: it is added. Its library is new here, so it would be tried first.
                Greeter 1.0.0 would be replaced by another build: its library changed.
                Pulse 1.0.0 would be replaced by 1.1.0: its library changed.
                UserProfile would stop: it requires Session ^1.0.0.

                Affected screens  counter

                """)
        let first: JSONValue = [
            "step": "stop", "module": "UserProfile", "from": "1.0.0", "to": .null, "tried": false,
            "why": "it requires Session ^1.0.0, which is not installed.",
        ]
        guard case .array(let rows)? = content.json["rows"] else {
            Issue.record("There are no rows.")
            return
        }
        #expect(rows.count == 5 && rows[0] == first)
        #expect(content.json.members.map(\.key) == ["rows", "screens"])
    }

    private func event(
        _ kind: String, _ module: String?, change: String? = nil, cause: String? = nil, took: Int64? = nil,
        _ detail: String? = nil
    ) -> JournalEvent {
        JournalEvent(
            time: "2026-11-25T02:01:33Z", process: 7, kind: kind, module: module, generation: 1,
            version: "1.0.0",
            digest: nil, detail: detail, microseconds: took, change: change, cause: cause)
    }

    @Test("What belongs to one start or change is below its line; a single event is a line")
    func events() {
        let events = [
            event("crashed", "Pulse", "It trapped."),
            event("started", "Session", change: "1", cause: "start"),
            event("failed", "Entities", change: "1", cause: "start", "no file"),
            event("replaced", "Session", change: "2", cause: "command", took: 1_250, "its library changed"),
        ]

        let content = EventViews.list(events, of: 9)

        #expect(
            TextRenderer(width: 80).render(content) == """
                When            Event      Module    Version  Took    Detail
                11-25 02:01:33  crashed    Pulse     1.0.0            It trapped.
                11-25 02:01:33  start                                 1 started, 1 failed
                                  started  Session   1.0.0
                                  failed   Entities  1.0.0            no file
                11-25 02:01:33  replaced   Session   1.0.0    1.3 ms  its library changed
                9 events: the last 4 shown

                """)
        guard case .array(let rows)? = content.json["rows"] else {
            Issue.record("There are no rows.")
            return
        }
        #expect(rows.map { $0["event"] } == ["crashed", "started", "failed", "replaced"])
        #expect(rows.map { $0["change"] } == [.null, "1", "1", "2"])
        #expect(rows[3]["microseconds"] == 1_250 && content.json["total"] == 9)
    }

    @Test("At a terminal, events have relative times")
    func relative() {
        var renderer = TextRenderer(width: 80)
        renderer.now = Timestamp(rfc3339: "2026-11-25T02:05:00Z")

        #expect(
            renderer.render(EventViews.list([event("released", "A")], of: 1)).contains("3 min ago  released"))
    }
}
