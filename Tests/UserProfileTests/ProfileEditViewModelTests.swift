@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("Profile form")
struct ProfileEditViewModelTests {
    private let clock = FixedClock()
    private let session = TestSession(.ada)
    private let navigator = RecordingNavigator()
    private let profiles = MockUserProfileService(.test())
    private let notifications: MockNotificationService
    private let repository: UserProfileRepository

    init() {
        notifications = MockNotificationService(.test(), clock: clock)
        repository = UserProfileRepository(
            profiles: profiles, authentication: MockAuthenticationService(behavior: .test(), clock: clock),
            notifications: notifications, offline: OfflineStore.none, session: session.writer, clock: clock,
            analytics: RecordingAnalytics())
    }

    private func loaded() async throws -> ProfileEditViewModel {
        let viewModel = ProfileEditViewModel(
            repository: repository, session: session.state, navigator: navigator)
        try await viewModel.load()
        return viewModel
    }

    private func json(_ viewModel: ProfileEditViewModel) -> String {
        JSONValue.object(ProfileEditView(viewModel: viewModel).body.json).serialized
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on viewModel: ProfileEditViewModel
    ) async throws -> ActionResult {
        let actions = ProfileEditView(viewModel: viewModel).actions
        return try await #require(actions.first { $0.name == action }).perform(ArgumentValues(values))
    }

    @Test("The form starts with the stored profile")
    func start() async throws {
        let viewModel = try await loaded()

        #expect(
            json(viewModel) == """
                {"title":"Edit profile","firstName":"Ada","lastName":"Lovelace","age":36,\
                "bio":"Wrote the first program, for a machine that was not built.","unsaved":[]}
                """)
    }

    @Test("A set value is shown and marked as unsaved")
    func set() async throws {
        let viewModel = try await loaded()

        let result = try await perform("set", ["field": "age", "value": " 37 "], on: viewModel)
        _ = try await perform("set", ["field": "firstName", "value": "Augusta"], on: viewModel)

        #expect(result.message == "Set the age.")
        #expect(viewModel.draft.value.age == 37)
        #expect(viewModel.draft.changed.map(\.name) == ["firstName", "age"])
        #expect(json(viewModel).contains(#""unsaved":["firstName","age"]"#))
        #expect(try await profiles.profile(ofAccount: "mock-ada")?.profile.age == 36)
    }

    @Test("A field that is set back to the stored value is not unsaved")
    func setBack() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("firstName", to: "Augusta")

        _ = try await viewModel.set("firstName", to: "Ada")

        #expect(viewModel.draft.changed.isEmpty)
    }

    @Test(
        "An invalid value is refused and shown as a problem after its field",
        arguments: [
            ("firstName", " ", "The first name is empty."),
            ("lastName", "", "The last name is empty."),
            ("age", "abc", "The age must be a whole number, not 'abc'."),
            ("age", "151", "The age must be at most 150, not 151."),
            ("bio", "\u{7}", "The bio must not contain control characters."),
        ])
    func refusedValue(_ field: String, _ value: String, _ message: String) async throws {
        let viewModel = try await loaded()
        let before = viewModel.draft.value

        let error = await #expect(throws: ValidationError.self) { try await viewModel.set(field, to: value) }

        #expect(error?.message == message)
        #expect(viewModel.draft.value == before)
        #expect(viewModel.draft.problems == [field: message])
        #expect(viewModel.savedState == nil)
        let blocks = ProfileEditView(viewModel: viewModel).body.blocks
        let index = try #require(
            blocks.firstIndex {
                if case .field(let shown) = $0 { shown.key == field } else { false }
            })
        guard case .notice(let notice) = blocks[index + 1] else {
            Issue.record("The message does not follow the field.")
            return
        }
        #expect(notice.text == message)
    }

    @Test("A field's problem disappears once the field is corrected")
    func fixed() async throws {
        let viewModel = try await loaded()
        _ = try? await viewModel.set("age", to: "abc")
        _ = try? await viewModel.set("firstName", to: "")

        _ = try await viewModel.set("age", to: "40")

        #expect(viewModel.draft.problems == ["firstName": "The first name is empty."])
    }

    @Test("Submitting stores the form and leaves it")
    func submit() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("lastName", to: "King")

        let result = try await perform("submit", on: viewModel)

        #expect(result.message == "Submitted the profile of Ada King.")
        guard case .leaveReturning(let returned, let destination) = result.presentation else {
            Issue.record("The form is not left.")
            return
        }
        #expect(try returned.value(as: Profile.self)?.fullName == "Ada King")
        #expect(try destination?.link().description == "profile")
        #expect(try await profiles.profile(ofAccount: "mock-ada")?.profile.lastName == "King")
        #expect(try await notifications.notifications(ofAccount: "mock-ada", limit: 9).count == 1)
        #expect(viewModel.savedState == nil)
        #expect(viewModel.draft.changed.isEmpty)
    }

    @Test("Arguments of 'submit' override set values")
    func overrides() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("lastName", to: "King")
        _ = try await viewModel.set("age", to: "20")

        _ = try await perform("submit", ["age": "21", "bio": ""], on: viewModel)

        #expect(
            try await profiles.profile(ofAccount: "mock-ada")?.profile
                == Profile(firstName: "Ada", lastName: "King", age: 21, bio: nil))
    }

    @Test("A failed submission keeps the form and shows a problem for each field")
    func failedSubmission() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("lastName", to: "King")
        _ = try? await viewModel.set("bio", to: "\u{7}")
        let before = viewModel.savedState

        let error = await #expect(throws: ValidationError.self) {
            try await perform("submit", ["firstName": "", "age": "-5"], on: viewModel)
        }

        #expect(
            error?.message == "The first name is empty. The age must be at least 0, not -5.")
        #expect(
            viewModel.draft.problems == [
                "firstName": "The first name is empty.", "age": "The age must be at least 0, not -5.",
            ])
        #expect(viewModel.savedState == before)
        #expect(try await profiles.profile(ofAccount: "mock-ada")?.profile.lastName == "Lovelace")
    }

    @Test("Resetting discards the set values")
    func reset() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("lastName", to: "King")
        _ = try? await viewModel.set("age", to: "abc")

        let result = try await perform("reset", on: viewModel)

        #expect(result.message == "The form shows what is stored.")
        #expect(viewModel.draft.changed.isEmpty)
        #expect(viewModel.draft.problems.isEmpty)
    }

    @Test("Set values are saved and restored")
    func savedState() async throws {
        let first = try await loaded()
        _ = try await first.set("lastName", to: "King")
        let kept = try StateCoding.encode(first.savedState)

        let second = ProfileEditViewModel(
            repository: repository, session: session.state, navigator: navigator)
        second.restore(try StateCoding.decode(RecordInput?.self, from: kept))
        try await second.load()

        #expect(second.draft.value.lastName == "King")
        #expect(second.draft.changed.map(\.name) == ["lastName"])
    }

    @Test("Values that one user set are not shown to another user")
    func anotherPerson() async throws {
        let first = try await loaded()
        _ = try await first.set("lastName", to: "King")
        let kept = first.savedState
        session.writer.signIn(.bob, credential: try #require(session.writer.credential))

        let second = ProfileEditViewModel(
            repository: repository, session: session.state, navigator: navigator)
        second.restore(kept)
        try await second.load()
        try await first.load()

        #expect(second.draft.value == Profile())
        #expect(first.draft.value == Profile())
    }

    @Test("Reloading keeps the set values and shows the newly stored ones")
    func loadedAgain() async throws {
        let viewModel = try await loaded()
        _ = try await viewModel.set("lastName", to: "King")
        _ = try await profiles.submit(
            Profile(firstName: "Augusta", lastName: "Lovelace", age: 36, bio: nil), ofAccount: "mock-ada")

        try await viewModel.load()

        #expect(viewModel.draft.value.fullName == "Augusta King")
        #expect(viewModel.draft.changed.map(\.name) == ["lastName"])
    }

    @Test("A guest can't open the form")
    func guest() async {
        session.writer.signOut()

        await #expect(throws: ServiceError.notAuthenticated) { _ = try await loaded() }
    }
}
