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
        _ = try await hosts.here.set(.lastName, to: "King")
        _ = try await hosts.elsewhere.submit(ProfileChanges(age: 37, bio: "New."))

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
        _ = try await hosts.here.set(.lastName, to: "King")
        _ = try await hosts.here.set(.bio, to: "Mine.")
        _ = try await hosts.here.set(.age, to: "40")
        _ = try await hosts.elsewhere.submit(ProfileChanges(lastName: "Byron", age: 40, bio: "Theirs."))
        let stored = try await hosts.stored

        let error = await #expect(throws: ProfileConflict.self) { try await hosts.here.submit() }

        #expect(
            error?.fields == [
                .init(field: .lastName, theirs: "Byron", yours: "King"),
                .init(field: .bio, theirs: "Theirs.", yours: "Mine."),
            ])
        #expect(error?.stored.profile == stored)
        #expect(try await hosts.stored == stored)
        #expect(
            hosts.here.savedState.changes == ProfileChanges(lastName: "King", age: 40, bio: "Mine."))
        #expect(hosts.here.contested == [.lastName: "Byron", .bio: "Theirs."])
    }

    @Test("Submitting again after a conflict overwrites the field", arguments: Implementation.allCases)
    func overwriting(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.elsewhere.submit(ProfileChanges(age: 41, bio: "Theirs."))
        _ = try? await hosts.here.submit(ProfileChanges(bio: "Mine."))

        _ = try await hosts.here.submit(ProfileChanges(bio: "Mine."))

        #expect(
            try await hosts.stored == Profile(firstName: "Ada", lastName: "Lovelace", age: 41, bio: "Mine."))
    }

    @Test("Another change after a conflict is a new conflict", arguments: Implementation.allCases)
    func changedTwice(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation)
        _ = try await hosts.here.set(.bio, to: "Mine.")
        _ = try await hosts.elsewhere.submit(ProfileChanges(bio: "First."))
        _ = try? await hosts.here.submit()
        try await hosts.elsewhere.load()
        _ = try await hosts.elsewhere.submit(ProfileChanges(bio: "Second."))

        let error = await #expect(throws: ProfileConflict.self) { try await hosts.here.submit() }

        #expect(error?.fields == [.init(field: .bio, theirs: "Second.", yours: "Mine.")])
        #expect(try await hosts.stored?.bio == "Second.")
    }

    @Test(
        "A first profile does not overwrite one that was submitted meanwhile",
        arguments: Implementation.allCases)
    func firstProfile(_ implementation: Implementation) async throws {
        let hosts = try await Hosts(implementation, storing: nil)
        _ = try await hosts.elsewhere.submit(ProfileChanges(firstName: "A", lastName: "B", age: 30))
        let mine = ProfileChanges(firstName: "C", lastName: "D", age: 30)

        let error = await #expect(throws: ProfileConflict.self) { try await hosts.here.submit(mine) }

        #expect(error?.fields.map(\.field) == [.firstName, .lastName])
        #expect(try await hosts.stored == Profile(firstName: "A", lastName: "B", age: 30, bio: nil))
    }

    @Test("Resetting a field accepts the stored value and keeps the other fields")
    func takingOver() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set(.lastName, to: "King")
        _ = try await hosts.here.set(.bio, to: "Mine.")
        _ = try await hosts.elsewhere.submit(ProfileChanges(bio: "Theirs."))
        _ = try? await hosts.here.submit()

        let result = try await hosts.here.reset(.bio)

        #expect(result.message == "The form shows what is stored in the bio.")
        #expect(hosts.here.draft.bio == "Theirs.")
        #expect(hosts.here.unsaved == [.lastName])
        #expect(hosts.here.contested.isEmpty)
        _ = try await hosts.here.submit()
        #expect(try await hosts.stored?.fullName == "Ada King")
    }

    @Test(
        "A reloaded form shows changes from elsewhere; submitting it is still a conflict first"
    )
    func shownAgain() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set(.bio, to: "")
        _ = try await hosts.elsewhere.submit(ProfileChanges(bio: "Theirs."))

        try await hosts.here.load()

        #expect(hosts.here.contested == [.bio: "Theirs."])
        let json = JSONValue.object(ProfileEditView(viewModel: hosts.here).body.json).serialized
        #expect(json.contains("Changed elsewhere to 'Theirs.' since you set it."))
        let error = await #expect(throws: ProfileConflict.self) { try await hosts.here.submit() }
        #expect(error?.fields == [.init(field: .bio, theirs: "Theirs.", yours: nil)])
    }

    @Test("A conflict is also detected after the form was saved and restored")
    func restarted() async throws {
        let hosts = try await Hosts(.mock)
        _ = try await hosts.here.set(.bio, to: "Mine.")
        let kept = try StateCoding.encode(hosts.here.savedState)
        _ = try await hosts.elsewhere.submit(ProfileChanges(bio: "Theirs."))

        let restored = Hosts.form(hosts.services)
        restored.restore(try StateCoding.decode(ProfileEditViewModel.SavedState.self, from: kept))
        try await restored.load()

        await #expect(throws: ProfileConflict.self) { try await restored.submit() }
        #expect(try await hosts.stored?.bio == "Theirs.")
    }

    @Test("State that was saved without the original values can be read")
    func olderState() throws {
        let state = try StateCoding.decode(
            ProfileEditViewModel.SavedState.self, from: #"{"account":"a","changes":{"bio":"Mine."}}"#)

        #expect(state == .init(account: "a", changes: ProfileChanges(bio: "Mine.")))
    }

    @Test("A submission that is always outdated is tried five times")
    func overtaken() async throws {
        let session = TestSession(.ada)
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.receipt = .outdated

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
        }

        #expect(error?.code == "overtaken")
        #expect(services.submitted.all.count == 5)
    }

    @Test("The error names each field with both values, truncates long ones, and suggests what to enter")
    func message() {
        let long = String(repeating: "x", count: 101)
        let conflict = ProfileConflict(
            fields: [
                .init(field: .lastName, theirs: "Byron", yours: "King"),
                .init(field: .bio, theirs: nil, yours: long),
            ], stored: .none)

        #expect(
            conflict.message == """
                The last name was changed elsewhere to 'Byron', here to 'King'. The bio was changed elsewhere to \
                nothing, here to '\(long.dropLast())…'. Nothing was submitted.
                """)
        #expect(
            conflict.hint
                == "Enter the same command again to overwrite it, or accept it: reset FIELD")
        #expect(conflict.code == "changedElsewhere")
    }
}
