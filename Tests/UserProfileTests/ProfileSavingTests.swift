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

        #expect(await viewModel.save(["lastName": "King"]))

        #expect(viewModel.failure == nil)
        #expect(!viewModel.isSaving)
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
    }

    @Test("A failed save returns false and records the error")
    func failed() async throws {
        var services = services
        services.receipt = .refused("No.")
        let viewModel = try await form(services)

        #expect(await !viewModel.save(["lastName": "King"]))

        #expect((viewModel.failure as? ServiceError)?.code == .submissionFailed)
        #expect(!viewModel.isSaving)
        #expect(viewModel.draft.stored == .ada)
    }

    @Test("During a save, another one is refused, and one submission is sent")
    func twice() async throws {
        let time = VirtualTime()
        var services = services
        services.pause = ("submit", { try await time.sleep(.seconds(1)) })
        let viewModel = try await form(services)
        let first = Task { await viewModel.save(["lastName": "King"]) }
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

        let result = try await form(self.services).submit(["lastName": "King"])

        #expect(result.message == "Submitted the profile of Ada King.")
    }
}

@Suite("Profile form state")
struct ProfileFormStateTests {
    @Test("A mistake in a submission is shown beside each field, and the form stays as it was")
    @MainActor
    func validate() async throws {
        let session = TestSession(.ada)
        var services = RecordingServices(session: session)
        services.stored = .ada
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state,
            navigator: RecordingNavigator())

        #expect(await !viewModel.save(["firstName": "", "lastName": " ", "age": "151", "bio": "\u{7}"]))

        #expect(
            viewModel.draft.problems == [
                "firstName": "The first name is empty.", "lastName": "The last name is empty.",
                "age": "The age must be at most 150, not 151.",
                "bio": "The bio must not contain control characters.",
            ])
        #expect(viewModel.draft.value == .ada)
    }

    @Test("Correcting a field removes its problem and leaves the others")
    func fixed() throws {
        var draft = RecordDraft(Profile.ada)
        #expect(throws: ValidationError.self) { try draft.set(["firstName": "", "age": "151"]) }

        try draft.set("age", to: "40")

        #expect(draft.problems == ["firstName": "The first name is empty."])
        #expect(draft.value.age == 40)
    }

    @Test(
        "An age that is not a whole number is refused",
        arguments: ["abc", "36.5", "٣٦", "1e2", "99999999999999999999"])
    func notANumber(_ text: String) {
        var draft = RecordDraft(Profile.ada)

        let error = #expect(throws: ValidationError.self) { try draft.set("age", to: text) }

        #expect(error?.message == "The age must be a whole number, not '\(text)'.")
        #expect(error?.findings.map(\.field) == ["age"])
        #expect(draft.value == .ada)
    }

    @Test("An empty bio removes the bio", arguments: ["", "  "])
    func removedBio(_ text: String) throws {
        var draft = RecordDraft(Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: "A bio."))

        try draft.set("bio", to: text)

        #expect(draft.value == .ada)
    }
}
