@_spi(Host) import AtriumKit
import AtriumTesting
import LiveTestSupport
import Testing

@testable import UserProfile

/// A profile is changed in two hosts at the same time, over each implementation of the services.
@MainActor
@Suite("Profile conflicts", .timeLimit(.minutes(5)))
struct ProfileConflictTests {
    /// Forms of the same user in two hosts that share a service.
    @MainActor
    private struct Hosts {
        let services: Services
        let here: ProfileEditViewModel
        let elsewhere: ProfileEditViewModel

        init(_ implementation: Implementation, storing profile: Profile? = .ada) async throws {
            services = try await Services(implementation)
            if let profile { _ = try await services.profiles.submit(profile, ofAccount: services.account) }
            (here, elsewhere) = (Self.form(services), Self.form(services))
            for form in [here, elsewhere] { try await form.load() }
        }

        /// Creates a form, as in its own host.
        static func form(_ services: Services) -> ProfileEditViewModel {
            let session = TestSession()
            session.writer.signIn(
                SessionUser(id: services.account, email: "ada@example.com"),
                credential: services.credential)
            let repository = UserProfileRepository(
                profiles: services.profiles, authentication: services.authentication,
                notifications: services.notifications, offline: OfflineStore.none, session: session.writer,
                clock: SystemTime(), analytics: RecordingAnalytics())
            return ProfileEditViewModel(
                repository: repository, session: session.state, navigator: RecordingNavigator())
        }

        var stored: Profile? {
            get async throws { try await services.profiles.profile(ofAccount: services.account)?.profile }
        }
    }

    @Test(
        "Submitting one field keeps changes to other fields from elsewhere",
        arguments: Implementation.allCases)
    func otherField(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.here.set("lastName", to: "King")
        _ = try await hosts.elsewhere.submit(["age": "37", "bio": "New."])

        let result = try await hosts.here.submit()

        #expect(result.message == "Submitted the profile of Ada King.")
        #expect(
            try await hosts.stored == Profile(firstName: "Ada", lastName: "King", age: 37, bio: "New."))
    }

    @Test(
        "A field with two different changes is a conflict with both values; nothing is submitted",
        arguments: Implementation.allCases)
    func sameField(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.here.set("lastName", to: "King")
        _ = try await hosts.here.set("bio", to: "Mine.")
        _ = try await hosts.here.set("age", to: "40")
        _ = try await hosts.elsewhere.submit(["lastName": "Byron", "age": "40", "bio": "Theirs."])
        let stored = try await hosts.stored

        let error = await #expect(throws: ServiceError.self) { try await hosts.here.submit() }

        #expect(error?.code == .changedMeanwhile)
        #expect(
            error?.message == """
                The profile was changed meanwhile. The stored last name is 'Byron' now. \
                The stored bio is 'Theirs.' now.
                """)
        #expect(error?.hint == "submit again to replace it   or   reset")
        #expect(try await hosts.stored == stored)
        #expect(hosts.here.savedState?.texts == ["lastName": "King", "bio": "Mine."])
        #expect(
            hosts.here.draft.problems == [
                "lastName": "The stored last name is 'Byron' now.", "bio": "The stored bio is 'Theirs.' now.",
            ])
    }

    @Test("Submitting again after a conflict overwrites the field", arguments: Implementation.allCases)
    func overwriting(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.elsewhere.submit(["age": "41", "bio": "Theirs."])
        _ = try? await hosts.here.submit(["bio": "Mine."])

        _ = try await hosts.here.submit(["bio": "Mine."])

        #expect(
            try await hosts.stored == Profile(firstName: "Ada", lastName: "Lovelace", age: 41, bio: "Mine."))
    }

    @Test("Another change after a conflict is a new conflict", arguments: Implementation.allCases)
    func changedTwice(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.here.set("bio", to: "Mine.")
        _ = try await hosts.elsewhere.submit(["bio": "First."])
        _ = try? await hosts.here.submit()
        try await hosts.elsewhere.load()
        _ = try await hosts.elsewhere.submit(["bio": "Second."])

        let error = await #expect(throws: ServiceError.self) { try await hosts.here.submit() }

        #expect(error?.message == "The profile was changed meanwhile. The stored bio is 'Second.' now.")
        #expect(try await hosts.stored?.bio == "Second.")
    }

    @Test(
        "A first profile does not overwrite one that was submitted meanwhile",
        arguments: Implementation.allCases)
    func firstProfile(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation, storing: nil)
        _ = try await hosts.elsewhere.submit(["firstName": "A", "lastName": "B", "age": "30"])
        let mine = ["firstName": "C", "lastName": "D", "age": "30"]

        let error = await #expect(throws: ServiceError.self) { try await hosts.here.submit(mine) }

        #expect(error?.code == .changedMeanwhile)
        #expect(try await hosts.stored == Profile(firstName: "A", lastName: "B", age: 30, bio: nil))
    }

    @Test("Resetting a field accepts the stored value and keeps the other fields")
    func takingOver() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set("lastName", to: "King")
        _ = try await hosts.here.set("bio", to: "Mine.")
        _ = try await hosts.elsewhere.submit(["bio": "Theirs."])
        _ = try? await hosts.here.submit()

        let result = try await hosts.here.reset("bio")

        #expect(result.message == "The form shows what is stored in the bio.")
        #expect(hosts.here.draft.value.bio == "Theirs.")
        #expect(hosts.here.draft.changed.map(\.name) == ["lastName"])
        #expect(hosts.here.draft.problems.isEmpty)
        _ = try await hosts.here.submit()
        #expect(try await hosts.stored?.fullName == "Ada King")
    }

    @Test(
        "A reloaded form shows changes from elsewhere; submitting it is still a conflict first"
    )
    func shownAgain() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set("bio", to: "Mine.")
        _ = try await hosts.elsewhere.submit(["bio": "Theirs."])

        try await hosts.here.load()

        let json = JSONValue.object(ProfileEditView(viewModel: hosts.here).body.json).serialized
        #expect(json.contains("The stored bio is 'Theirs.' now."))
        let error = await #expect(throws: ServiceError.self) { try await hosts.here.submit() }
        #expect(error?.code == .changedMeanwhile)
    }

    @Test("A conflict is also detected after the form was saved and restored")
    func restarted() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set("bio", to: "Mine.")
        let kept = try StateCoding.encode(hosts.here.savedState)
        _ = try await hosts.elsewhere.submit(["bio": "Theirs."])

        let restored = Hosts.form(hosts.services)
        restored.restore(try StateCoding.decode(RecordInput?.self, from: kept))
        try await restored.load()

        let error = await #expect(throws: ServiceError.self) { try await restored.submit() }

        #expect(error?.code == .changedMeanwhile)
        #expect(try await hosts.stored?.bio == "Theirs.")
    }

    @Test("A submission that is always outdated is tried five times")
    func overtaken() async throws {
        let session = TestSession(.ada)
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.receipt = .outdated
        var augusta = Profile.ada
        augusta.firstName = "Augusta"

        let repository = UserProfileRepository(services)
        _ = try await repository.profile()

        let error = await #expect(throws: ServiceError.self) {
            try await repository.submit(RecordChanges(to: augusta, from: .ada), ofAccount: "mock-ada")
        }

        #expect(error?.code == "overtaken")
        #expect(services.submitted.all.count == 5)
    }
}
