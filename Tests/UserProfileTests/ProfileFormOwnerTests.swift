@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

/// Ada's form stays open while she signs out and Bob signs in.
@MainActor
@Suite("Profile form: change of user")
struct ProfileFormOwnerTests {
    private let session = TestSession(.ada)
    private let navigator = RecordingNavigator()

    private static let emptyForm = """
        {"title":"Edit profile","firstName":null,"lastName":null,"age":null,"bio":null,"unsaved":[]}
        """
    private static let submission = ["firstName": "Bob", "lastName": "Ross", "age": "50"]

    /// Services that store only Ada's profile.
    private var services: RecordingServices {
        var services = RecordingServices(session: session)
        services.stored = Profile(firstName: "Ada", lastName: "Secret", age: 30, bio: "mine")
        services.owner = "mock-ada"
        return services
    }

    /// Ada's form, loaded and with a changed last name that is not submitted.
    private func form(_ services: RecordingServices) async throws -> ProfileEditViewModel {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)
        try await viewModel.load()
        _ = try await viewModel.set("lastName", to: "King")
        return viewModel
    }

    /// Signs out, then signs in as `user` unless it is nil.
    private func become(_ user: SessionUser?) {
        session.writer.signOut()
        guard let user else { return }
        session.writer.signIn(
            user,
            credential: SessionCredential(
                token: "\(user.id)-token", expiresAt: FixedClock().now().adding(seconds: 60)))
    }

    private func json(_ viewModel: ProfileEditViewModel) -> String {
        JSONValue.object(ProfileEditView(viewModel: viewModel).body.json).serialized
    }

    @Test("The form is empty for a guest and for Bob, and shows Ada's changes to her again")
    func shown() async throws {
        let viewModel = try await form(services)
        let before = json(viewModel)
        _ = try? await viewModel.set("age", to: "abc")

        session.writer.signOut()
        #expect(json(viewModel) == Self.emptyForm)
        become(.bob)
        #expect(json(viewModel) == Self.emptyForm)
        become(.ada)
        #expect(viewModel.draft.value.fullName == "Ada King")
        #expect(before.contains(#""lastName":"King""#))
    }

    @Test("Bob's submission contains nothing of Ada's form")
    func submitted() async throws {
        let services = services
        let viewModel = try await form(services)
        become(.bob)

        let result = try await viewModel.submit(Self.submission)

        #expect(result.message == "Submitted the profile of Bob Ross.")
        #expect(services.submitted.all == ["bob: Bob Ross, 50, no bio"])
    }

    @Test("Fields that Bob does not fill in are missing, and nothing is submitted")
    func incomplete() async throws {
        let services = services
        let viewModel = try await form(services)
        become(.bob)

        let error = await #expect(throws: ValidationError.self) {
            try await viewModel.submit(["bio": "hello"])
        }

        #expect(
            error?.message == "The first name is empty. The last name is empty. The age is missing.")
        #expect(services.submitted.all.isEmpty)
        #expect(viewModel.draft.value == Profile())
    }

    @Test("Setting a field as Bob starts a new form and discards Ada's changes")
    func set() async throws {
        let services = services
        let viewModel = try await form(services)
        become(.bob)

        _ = try await viewModel.set("firstName", to: "Bob")

        #expect(viewModel.draft.value == Profile(firstName: "Bob"))
        #expect(
            viewModel.savedState
                == RecordInput(texts: ["firstName": "Bob"], stored: ["firstName": ""], account: "bob"))
        become(.ada)
        try await viewModel.load()
        #expect(viewModel.draft.value.fullName == "Ada Secret")
        #expect(services.submitted.all.isEmpty)
    }

    @Test("Resetting shows Bob his own stored profile")
    func reset() async throws {
        let viewModel = try await form(services)
        become(.bob)

        _ = try await viewModel.reset()

        #expect(json(viewModel) == Self.emptyForm)
        #expect(viewModel.savedState == nil)
    }

    @Test("A guest can't set, submit or reset", arguments: ["set", "submit", "reset"])
    func guest(_ action: String) async throws {
        let services = services
        let viewModel = try await form(services)
        let calls = services.log.all
        session.writer.signOut()

        let error = await #expect(throws: ServiceError.self) {
            switch action {
            case "set": try await viewModel.set("bio", to: "hello")
            case "submit": try await viewModel.submit(Self.submission)
            default: try await viewModel.reset()
            }
        }

        #expect(error == .notAuthenticated)
        #expect(error?.message == "You are not signed in.")
        #expect(services.log.all == calls)
        #expect(services.submitted.all.isEmpty)
        #expect(json(viewModel) == Self.emptyForm)
    }

    @Test(
        "If the session changes while the form loads, nothing is submitted or shown",
        arguments: [
            ("authenticate", SessionUser?.some(.bob), ServiceError.notAuthenticated),
            ("read", .bob, .anotherAccount),
            ("read", nil, .notAuthenticated),
        ])
    func changedWhileLoading(_ call: String, _ user: SessionUser?, _ expected: ServiceError) async {
        var services = services
        services.meanwhile = (call, { become(user) })
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)

        let error = await #expect(throws: ServiceError.self) {
            try await viewModel.submit(Self.submission)
        }

        #expect(error == expected)
        #expect(json(viewModel) == Self.emptyForm)
        #expect(services.submitted.all.isEmpty)
    }

    @Test("Loading fails if another user signs in before the answer")
    func overtakenLoad() async {
        var services = services
        services.meanwhile = ("read", { become(.bob) })
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)

        await #expect(throws: ServiceError.anotherAccount) { try await viewModel.load() }

        #expect(json(viewModel) == Self.emptyForm)
    }

    @Test("Ada's submission is stored for her account even if Bob signs in before the answer")
    func changedWhileSubmitting() async throws {
        var services = services
        services.meanwhile = ("submit", { become(.bob) })
        let viewModel = try await form(services)

        _ = try await viewModel.submit()

        #expect(services.submitted.all == ["mock-ada: Ada King, 30, mine"])
        #expect(session.writer.user == .bob)
        #expect(json(viewModel) == Self.emptyForm)
    }

    @Test("The saved state is empty unless Ada is signed in, and is not restored for Bob")
    func savedState() async throws {
        let services = services
        let viewModel = try await form(services)
        let kept = viewModel.savedState
        #expect(
            kept
                == RecordInput(
                    texts: ["lastName": "King"], stored: ["lastName": "Secret"], account: "mock-ada"))
        session.writer.signOut()
        #expect(viewModel.savedState == nil)
        become(.bob)
        #expect(viewModel.savedState == nil)

        let restored = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)
        restored.restore(kept)

        #expect(json(restored) == Self.emptyForm)
        #expect(restored.savedState == nil)
        _ = try await restored.submit(Self.submission)
        #expect(services.submitted.all == ["bob: Bob Ross, 50, no bio"])
    }

    @Test(
        "State that version 2 saved is restored",
        arguments: [
            (#""input":{"stored":{"lastName":"Secret"},"texts":{"lastName":"King"}}"#, ["lastName": "King"]),
            (#""input":null"#, nil),
        ])
    func formerSavedState(input: String, texts: [String: String]?) async throws {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)

        let former = try StateCoding.decode(JSONObject.self, from: #"{"account":"mock-ada",\#(input)}"#)
        let migrated = try #require(ProfileEditViewModel.migrateSavedState(former, from: 2))
        viewModel.restore(try StateCoding.decode(RecordInput?.self, from: StateCoding.encode(migrated)))

        #expect(ProfileEditViewModel.migrateSavedState(former, from: 1) == nil)
        try await viewModel.load()
        #expect(viewModel.savedState?.texts == texts)
        #expect(viewModel.savedState?.account == texts.map { _ in "mock-ada" })
        #expect(viewModel.draft.value.lastName == (texts == nil ? "Secret" : "King"))
    }
}
