import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Entity rules")
struct EntityRulesTests {
    @Test("Surrounding white space is removed; an empty optional text is nil")
    func trimming() throws {
        var draft = EntityDraft(category: "x")
        for (name, text) in [("name", " \tBlue lamp\n"), ("category", "  "), ("notes", " a\nb ")] {
            try Entity.fields.field(name).set(&draft, to: text)
        }

        #expect(draft.name == "Blue lamp")
        #expect(draft.category == nil)
        #expect(draft.notes == "a\nb")
    }

    @Test(
        "Each field is checked",
        arguments: [
            (EntityDraft(name: "x"), []),
            (
                EntityDraft(
                    name: "100% of_everything ' \" \\ ; --", category: "照明", notes: "one\ntwo\tthree"), []
            ),
            (EntityDraft(name: ""), ["The name is empty."]),
            (EntityDraft(name: " \n\t"), ["The name is empty."]),
            (EntityDraft(name: "\u{200B}\u{FEFF}"), ["The name is empty."]),
            (EntityDraft(name: "a\nb"), ["The name must not contain control characters."]),
            (EntityDraft(name: "a\u{1B}[31mb"), ["The name must not contain control characters."]),
            (EntityDraft(name: "a\u{0}b"), ["The name must not contain control characters."]),
            (EntityDraft(name: "a\u{2028}b"), ["The name must not contain control characters."]),
            (EntityDraft(name: "a", category: "b\tc"), ["The category must not contain control characters."]),
            (EntityDraft(name: "a", notes: "b\u{7}c"), ["The notes must not contain control characters."]),
            (EntityDraft(name: "a", notes: "b\u{1F}c"), ["The notes must not contain control characters."]),
        ])
    func rules(_ draft: EntityDraft, _ problems: [String]) {
        #expect(draft.validate().map(\.message) == problems)
    }

    @Test(
        "Each field has a maximum length, counted in characters",
        arguments: [("x", 1), ("👩‍👩‍👧‍👦", 25), ("e\u{301}", 3)])
    func lengths(_ character: String, _ bytes: Int) {
        func text(_ count: Int) -> String { String(repeating: character, count: count) }

        let longest = EntityDraft(name: text(200), category: text(100), notes: text(10_000))
        let tooLong = EntityDraft(name: text(201), category: text(101), notes: text(10_001))

        #expect(longest.validate().isEmpty)
        #expect(
            tooLong.validate().map(\.message) == [
                "The name may have at most 200 characters, not 201.",
                "The category may have at most 100 characters, not 101.",
                "The notes may have at most 10000 characters, not 10001.",
            ])
    }

    @Test("The size of a name in bytes is limited too")
    func manyMarks() {
        let draft = EntityDraft(name: "e" + String(repeating: "\u{301}", count: 10_000))

        #expect(draft.validate().map(\.message) == ["The name may take at most 6400 bytes, not 20001."])
    }

    @Test("Changes follow the same rules; fields that are not given are not checked")
    func changes() {
        #expect(EntityChanges().validate().isEmpty)
        #expect(EntityChanges(category: "", notes: "").validate().isEmpty)
        #expect(
            EntityChanges(name: " ", category: "a\nb").validate().map(\.message) == [
                "The name is empty.", "The category must not contain control characters.",
            ])
    }

    @Test(
        "Page, size and filter texts of a query are limited",
        arguments: [
            (EntityQuery(), []),
            (EntityQuery(page: 1_000_000_000, size: 500), []),
            (EntityQuery(page: 0), ["The page must be at least 1, not 0."]),
            (EntityQuery(page: .min), ["The page must be at least 1, not \(Int.min)."]),
            (EntityQuery(page: .max), ["The page must be at most 1000000000, not \(Int.max)."]),
            (EntityQuery(size: 0), ["The size must be at least 1, not 0."]),
            (EntityQuery(size: 501), ["The size must be at most 500, not 501."]),
            (
                EntityQuery(page: -1, size: -1),
                ["The page must be at least 1, not -1.", "The size must be at least 1, not -1."]
            ),
            (EntityQuery(search: "a\u{1F}b"), ["The search text must not contain control characters."]),
            (EntityQuery(category: "a\u{1F}b"), ["The category must not contain control characters."]),
            (
                EntityQuery(search: String(repeating: "x", count: 201)),
                ["The search text may have at most 200 characters, not 201."]
            ),
        ])
    func queries(_ query: EntityQuery, _ problems: [String]) {
        var found: [String] = []
        do { try query.check() } catch let error as ValidationError {
            found = error.findings.map(\.message)
        } catch { found = ["\(error)"] }
        #expect(found == problems)
    }

    @Test("Empty filters are ignored")
    func emptyFilters() throws {
        let query = EntityList(category: " ", search: "").query()
        let everything = EntityList().query()
        #expect(query == everything)
        #expect(!query.isLimited)
    }
}
