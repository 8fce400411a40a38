import AtriumKit
import Testing

@testable import UserProfile

@Suite("Profile")
struct ProfileTests {
    @Test(
        "Each field is checked",
        arguments: [
            (Profile(firstName: "Ada", lastName: "Lovelace", age: 36), []),
            (Profile(firstName: "用户", lastName: "👩‍👩‍👧‍👦", age: 0, bio: "one\ntwo\tthree"), []),
            (Profile(firstName: "", lastName: "Lovelace", age: 36), ["The first name is empty."]),
            (Profile(firstName: "\u{200B}", lastName: "Lovelace", age: 36), ["The first name is empty."]),
            (Profile(firstName: "Ada", lastName: "", age: 36), ["The last name is empty."]),
            (Profile(firstName: "Ada", lastName: "Lovelace"), ["The age is missing."]),
            (
                Profile(firstName: "Ada", lastName: "Lovelace", age: -1),
                ["The age must be at least 0, not -1."]
            ),
            (
                Profile(firstName: "Ada", lastName: "Lovelace", age: 151),
                ["The age must be at most 150, not 151."]
            ),
            (
                Profile(firstName: "A\u{1B}[31mda", lastName: "Lovelace", age: 36),
                ["The first name must not contain control characters."]
            ),
            (
                Profile(firstName: "Ada", lastName: "Love\nlace", age: 36),
                ["The last name must not contain control characters."]
            ),
            (
                Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: "\u{0}"),
                ["The bio must not contain control characters."]
            ),
        ])
    func rules(_ profile: Profile, _ problems: [String]) {
        #expect(profile.findings.map(\.message) == problems)
    }

    @Test("All mistakes are found, in the order of the form")
    func allFindings() {
        let findings = Profile().findings

        #expect(findings.map(\.field) == ["firstName", "lastName", "age"])
    }

    @Test("A name has at most 100 characters, regardless of their size in bytes")
    func longNames() {
        let family = String(repeating: "👩‍👩‍👧‍👦", count: 100)
        var profile = Profile(firstName: family, lastName: "Lovelace", age: 36)
        #expect(profile.findings.isEmpty)

        profile.firstName += "x"

        #expect(
            profile.findings.map(\.message) == ["The first name may have at most 100 characters, not 101."])
    }

    @Test("The size of a name in bytes is limited too")
    func manyMarks() {
        let profile = Profile(
            firstName: "e" + String(repeating: "\u{301}", count: 2_000), lastName: "Lovelace", age: 36)

        #expect(
            profile.findings.map(\.message) == ["The first name may take at most 3200 bytes, not 4001."])
    }

    @Test("The full name omits missing parts")
    func fullName() {
        #expect(Profile.ada.fullName == "Ada Lovelace")
        #expect(Profile(firstName: "Ada").fullName == "Ada")
        #expect(Profile().fullName == "")
    }
}
