import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("Profile form: saving", .timeLimit(.minutes(5)))
struct ProfileSavingTests {
    private let session = TestSession(.ada)

    private func form(_ services: RecordingServices) async throws -> ProfileEditViewModel {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state,
            navigator: RecordingNavigator())
        try await viewModel.load()
        return viewModel
    }

    private var services: RecordingServices {
        var services = RecordingServices(session: session)
        services.stored = .ada
        return services
    }

    @Test("Saving returns true if the profile is stored")
    func saved() async throws {
        let services = services
        let viewModel = try await form(services)

        #expect(await viewModel.save(ProfileChanges(lastName: "King")))

        #expect(viewModel.failure == nil)
        #expect(!viewModel.isSaving)
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
    }

    @Test("A failed save returns false and records the error")
    func failed() async throws {
        var services = services
        services.receipt = .refused("No.")
        let viewModel = try await form(services)

        #expect(await !viewModel.save(ProfileChanges(lastName: "King")))

        #expect((viewModel.failure as? ServiceError)?.code == .submissionFailed)
        #expect(!viewModel.isSaving)
        #expect(viewModel.stored == .ada)
    }

    @Test("During a save, another one is refused, and one submission is sent")
    func twice() async throws {
        let time = VirtualTime()
        var services = services
        services.pause = ("submit", { try await time.sleep(.seconds(1)) })
        let viewModel = try await form(services)
        let first = Task { await viewModel.save(ProfileChanges(lastName: "King")) }
        await time.sleepers(1)
        #expect(viewModel.isSaving)

        #expect(await !viewModel.save())
        let error = await #expect(throws: ServiceError.self) { try await viewModel.submit() }
        time.advance(.seconds(1))

        #expect(await first.value)
        #expect(error?.code == "submissionUnderWay")
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(!viewModel.isSaving)
        #expect(viewModel.failure == nil)
    }

    @Test("A failed submission throws; a successful one reports the profile's name")
    func left() async throws {
        var services = services
        services.failure = ("submit", ServiceError.profiles)
        let failing = try await form(services)
        await #expect(throws: ServiceError.profiles) { try await failing.submit() }

        let result = try await form(self.services).submit(ProfileChanges(lastName: "King"))

        #expect(result.message == "Submitted the profile of Ada King.")
    }
}

@Suite("Profile form state")
struct ProfileFormStateTests {
    private var form: ProfileFormState {
        var form = ProfileFormState(account: "a")
        form.load(StoredProfile(profile: .ada, version: 1))
        return form
    }

    @Test("Validating records a problem for each invalid field")
    func validate() {
        var form = form
        form.changes = ProfileChanges(firstName: "", lastName: " ", age: 151, bio: "\u{7}")

        let isValid = form.validate()

        #expect(!isValid)
        #expect(
            form.problems == [
                .firstName: "The first name is empty.", .lastName: "The last name is empty.",
                .age: "The age must be from 0 to 150, not 151.",
                .bio: "The bio must not contain control characters.",
            ])
    }

    @Test("Correcting a field removes its problem and leaves the others")
    func fixed() throws {
        var form = form
        form.changes = ProfileChanges(firstName: "", age: 151)
        _ = form.validate()

        try form.set(.age, to: "40")
        #expect(form.problems == [.firstName: "The first name is empty."])
        form.changes.firstName = "Augusta"
        let isValid = form.validate()

        #expect(isValid)
        #expect(form.problems.isEmpty)
        #expect(form.draft.fullName == "Augusta Lovelace")
    }

    @Test("A refused value changes only the field's problem")
    func refused() {
        var form = form
        let before = form

        #expect(throws: ValidationError.self) { try form.set(.age, to: "abc") }

        #expect(form.draft == before.draft)
        #expect(form.changes == before.changes)
        #expect(form.problems == [.age: "The age must be a whole number, not 'abc'."])
    }

    @Test("Loading removes the problems of values that are not in the form")
    func loaded() {
        var form = form
        var attempt = form
        attempt.changes = ProfileChanges(firstName: "", age: 151)
        form.changes = ProfileChanges(firstName: "")
        form.show(ValidationError(findings: attempt.draft.validate()), of: attempt)
        #expect(form.problems.count == 2)

        form.load(StoredProfile(profile: .ada, version: 2))

        #expect(form.problems == [.firstName: "The first name is empty."])
    }

    @Test("Validating a copy leaves the form unchanged")
    func value() {
        let form = form
        var copy = form
        copy.changes.firstName = ""
        _ = copy.validate()

        #expect(form.problems.isEmpty)
        #expect(copy != form)
    }
}
