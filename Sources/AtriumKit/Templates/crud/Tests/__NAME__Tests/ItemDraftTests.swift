import AtriumKit
import Testing

@testable import __NAME__

@Suite("What people fill in")
struct ItemDraftTests {
    @Test(
        "A value that a field can't have is refused, and the draft stays",
        arguments: [
            (ItemField.name, " "), (.name, String(repeating: "a", count: 101)), (.category, "a\u{7}b"),
            (.quantity, "1.5"), (.quantity, "-1"), (.quantity, "10000"),
        ])
    func refused(_ field: ItemField, _ text: String) {
        var draft = ItemDraft(name: "Lamp", category: "Lighting", quantity: 3)

        #expect(throws: ValidationError.self) { try draft.set(field, to: text) }

        #expect(draft == ItemDraft(name: "Lamp", category: "Lighting", quantity: 3))
    }

    @Test("An empty category is none")
    func noCategory() throws {
        var draft = ItemDraft(name: "Lamp", category: "Lighting")

        try draft.set(.category, to: " ")

        #expect(draft.category == nil)
        #expect(draft.validate().isEmpty)
    }
}
