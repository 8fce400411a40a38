import AtriumKit
import AtriumTesting
import Testing

/// Those that belong to a user, and conflicts, are tested with UserProfile's form.
@MainActor
@Suite("Forms that a module stores", .timeLimit(.minutes(5)))
struct DraftFormTests {
    private struct Card: Record {
        var id = 0
        var name = ""
        var points: Int?

        static let fields: Fields<Card> = [
            RecordField("name", \.name, .length(1...10)), RecordField("points", \.points, .range(0...9)),
        ]
    }

    private let form = DraftForm<Card>(TestSession().state, action: "send", participle: "sent") {
        DraftForm.Loaded(Card(name: "A"), of: nil)
    }

    @Test("A guest fills in a form without guards; a save gets what is changed, and what it stores is shown")
    func saves() async throws {
        let result = try await form.set("points", to: "5")
        #expect(result.message == "Set the points.")
        #expect(form.leaveObjections == [LeaveObjection("The field 'points' is not sent.", hint: "send")])

        let saved = try await form.save(["name": "C"]) { changes, account in
            #expect(account == nil)
            return changes.applied(to: Card(name: "B"))
        }

        #expect(saved == Card(name: "C", points: 5))
        #expect(form.draft.stored == saved && form.draft.changed.isEmpty && form.leaveObjections.isEmpty)
    }

    @Test("Without guards the form of a signed-in user belongs to nobody, whichever account is named")
    func unguarded() async throws {
        let session = TestSession(SessionUser(id: "ada", email: "ada@example.com"))
        let form = DraftForm<Card>(session.state) { DraftForm.Loaded(Card(name: "A"), of: "ada") }
        _ = try await form.set("points", to: "5")
        form.take(Card(name: "B"), of: "ada")

        session.writer.signOut()

        #expect(form.draft.value == Card(name: "B", points: 5))
        #expect(form.savedState == RecordInput(texts: ["points": "5"], stored: ["points": ""]))
    }

    @Test("A mistake in what is given is shown beside its field, and nothing is stored")
    func mistakes() async {
        await #expect(throws: ValidationError.self) {
            try await form.save(["points": "ten"]) { _, _ in
                Issue.record("Nothing should be stored.")
                return Card()
            }
        }

        #expect(form.draft.problems == ["points": "The points must be a whole number, not 'ten'."])
        #expect(form.draft.value == Card(name: "A") && !form.isSaving)
    }

    @Test("While a save runs, another one is refused; a cancelled command misses its failure")
    func cancelled() async throws {
        let answer = Promise<Card>()
        let first = Task { try await form.save(["points": "5"]) { _, _ in try await answer.value() } }
        while !form.isSaving { await Task.yield() }
        let refused = await #expect(throws: ServiceError.self) { try await form.save { _, _ in Card() } }
        #expect(refused?.code == "isBeingSaved")

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(form.isSaving)
        answer.settle(.failure(ServiceError("full", "There is no room.")))
        while form.isSaving { await Task.yield() }

        #expect(form.backgroundFailure?.message == "There is no room.")
        _ = try await form.reset()
        #expect(form.backgroundFailure == nil)
    }
}
