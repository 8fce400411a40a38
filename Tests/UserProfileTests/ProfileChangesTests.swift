import AtriumKit
import Testing

@testable import UserProfile

@Suite("Profile changes")
struct ProfileChangesTests {
    private let stored = Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: "A bio.")

    @Test("Fields that are not set stay unchanged")
    func nothingSet() {
        #expect(ProfileChanges().applied(to: stored) == stored)
    }

    @Test("Surrounding white space is removed")
    func trimming() {
        let changes = ProfileChanges(firstName: "  Augusta\n", lastName: "\tKing ", bio: " b ")

        #expect(
            changes.applied(to: stored) == Profile(firstName: "Augusta", lastName: "King", age: 36, bio: "b"))
    }

    @Test("An empty bio removes the bio", arguments: ["", "  "])
    func removedBio(_ text: String) {
        #expect(ProfileChanges(bio: text).applied(to: stored).bio == nil)
    }

    @Test("Newer changes replace older ones field by field")
    func replacing() {
        let older = ProfileChanges(firstName: "A", lastName: "B", age: 1)
        let newer = ProfileChanges(lastName: "C", bio: "D")

        #expect(older.replaced(by: newer) == ProfileChanges(firstName: "A", lastName: "C", age: 1, bio: "D"))
    }

    @Test(
        "An age that is not a whole number is refused",
        arguments: ["", "abc", "36.5", "٣٦", "1e2", "99999999999999999999"])
    func notANumber(_ text: String) {
        let error = #expect(throws: ValidationError.self) { try ProfileChanges().setting(.age, to: text) }

        #expect(error?.message == "The age must be a whole number, not '\(text)'.")
        #expect(error?.findings.map(\.field) == ["age"])
    }
}
