import AtriumKit
import Testing

@Suite("Drafts of records")
struct RecordDraftTests {
    private struct Card: Record {
        var id = 0
        var name = ""
        var points: Int?

        static let fields: Fields<Card> = [
            RecordField("name", \.name, .length(1...10)), RecordField("points", \.points, .range(0...9)),
        ]
    }

    private let stored = Card(id: 1, name: "A", points: 1)

    @Test("All mistakes in several texts are reported, and the valid ones are set")
    func several() {
        var draft = RecordDraft(stored)

        let error = #expect(throws: ValidationError.self) {
            try draft.set(["name": "", "points": "ten"])
        }

        #expect(error?.findings.map(\.field) == ["name", "points"])
        #expect(draft.problems.keys.sorted() == ["name", "points"])
        #expect(draft.value == stored)
    }

    @Test("What is filled in while an attempt is stored stays filled in")
    func settled() throws {
        var draft = RecordDraft(stored)
        try draft.set("name", to: "B")
        let attempt = draft
        try draft.set("points", to: "5")

        var other = draft
        var overriding = other
        try overriding.set("name", to: "C")
        other.settle(overriding.value, from: overriding)
        #expect(other.value == Card(id: 1, name: "C", points: 5))

        draft.settle(attempt.value, from: attempt)

        #expect(draft.stored == Card(id: 1, name: "B", points: 1))
        #expect(draft.value == Card(id: 1, name: "B", points: 5))
        #expect(draft.changed.map(\.name) == ["points"])
        #expect(draft.savedState?.stored == ["points": "1"])
    }

    @Test("Resetting one field keeps the others")
    func reset() throws {
        var draft = RecordDraft(stored)
        try draft.set(["name": "B", "points": "5"])

        try draft.reset(["name"])

        #expect(draft.value == Card(id: 1, name: "A", points: 5))
        #expect(throws: ValidationError.self) { try draft.reset(["nothing"]) }
        try draft.reset()
        #expect(draft.value == stored)
    }

    @Test("A save is refused once for each change by others, and again for a later one")
    func conflicts() throws {
        var draft = RecordDraft(stored)
        try draft.set("name", to: "B")

        draft.load(Card(id: 1, name: "C", points: 2))
        let error = #expect(throws: ServiceError.self) { try draft.prepareToSave(by: "submit") }
        #expect(error?.message == "The card was changed meanwhile. The stored name is 'C' now.")
        #expect(error?.hint == "submit again to replace it   or   reset")
        try draft.prepareToSave()
        #expect(draft.value == Card(id: 1, name: "B", points: 2))

        draft.load(Card(id: 1, name: "D", points: 2))
        #expect(throws: ServiceError.self) { try draft.prepareToSave() }
    }
}
