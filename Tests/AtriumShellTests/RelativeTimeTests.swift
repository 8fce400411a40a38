import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumText

@Suite("Times for people")
struct RelativeTimeTests {
    private let now = Timestamp(rfc3339: "2026-11-25T12:00:00Z") ?? Timestamp(microseconds: 0)

    private func text(_ seconds: Int) -> String { RelativeTime.text(now.adding(seconds: seconds), from: now) }

    @Test("A time is told in the largest unit that fits; one that is far away by its date")
    func units() {
        #expect([0, -59, -60, -3_599].map(text) == ["just now", "just now", "1 min ago", "59 min ago"])
        #expect(
            [-3_600, -86_399, -86_400, -172_800].map(text) == [
                "1 h ago", "23 h ago", "1 day ago", "2 days ago",
            ])
        #expect(
            [1, 60, 7_200, 2_592_000].map(text) == ["in less than 1 min", "in 1 min", "in 2 h", "in 30 days"])
        #expect(
            [1_209_599, 1_166_401, 86_399, 5_399, 119].map(text) == [
                "in 14 days", "in 14 days", "in 1 day", "in 1 h", "in 2 min",
            ])
        #expect([-59, 60].map { text($0 * 86_400) } == ["59 days ago", "2027-01-24"])
        #expect(
            RelativeTime.text(Timestamp(microseconds: .max), from: Timestamp(microseconds: .min)).hasPrefix(
                "2"))
    }

    @Test("A person at a terminal sees relative times in fields and tables; everything else is exact")
    func rendering() {
        let moment = now.adding(seconds: -120)
        let content = Content {
            Field("createdAt", label: "Created", moment)
            Table([moment]) { Column("at") { $0 } }
        }
        var renderer = TextRenderer(width: 60)
        #expect(
            renderer.render(content) == """
                Created  2026-11-25 11:58 UTC

                At
                2026-11-25 11:58 UTC

                """)

        renderer.now = now

        #expect(renderer.render(content) == "Created  2 min ago\n\nAt\n2 min ago\n")
        #expect(content.json["createdAt"] == "2026-11-25T11:58:00Z")
    }

    @Test("A text that looks like a time stays what it is")
    func lookalikes() {
        var renderer = TextRenderer(width: 60)
        renderer.now = now
        for text in [
            "2026-11-25 11:58 UTC", "2026-11-25T11:58:00Z", "11-25 11:58:00", "at 2026-11-25 11:58 UTC",
        ] {
            #expect(renderer.render(Content { Field("name", text) }) == "Name  \(text)\n")
        }
    }
}
