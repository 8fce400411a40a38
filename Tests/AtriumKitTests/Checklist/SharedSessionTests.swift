import AtriumTesting
import Observation
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

private final class Account {
    let session: SessionWriter

    init(session: SessionWriter) {
        self.session = session
    }
}

@Observable
private final class BadgeViewModel: ViewModel {
    let session: SessionState

    init(session: SessionState) {
        self.session = session
    }
}

private struct BadgeView: View {
    let viewModel: BadgeViewModel
    var body: Content { Field("person", viewModel.session.user?.displayName) }
}

private final class SignInModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(Account.self) { Account(session: $0.session) }
    }
}

private final class BadgeModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.viewModel(BadgeViewModel.self) { BadgeViewModel(session: $0.session) }
    }
}

@Suite("One session for all modules, from input to every view", .sharedSession)
@MainActor
struct SharedSessionTests {
    private let ada = SessionUser(id: "1", email: "ada@example.com", displayName: "Ada")
    private let credential = SessionCredential(token: "t", expiresAt: Timestamp(microseconds: 5))

    /// Views of two screens, and the repository of another module.
    private func build() async throws -> (account: Account, views: [BadgeView]) {
        let container = try TestContainer(SignInModule.self, BadgeModule.self)
        let views = try (0..<2).map { _ in BadgeView(viewModel: try container.viewModel()) }
        return (try container.repository(Account.self), views)
    }

    @Test("Every view of another module shows what the repository of one module writes")
    func flow() async throws {
        let (account, views) = try await build()
        #expect(views.map { $0.body.json["person"] } == [.null, .null])

        await confirmation("each view is told once", expectedCount: 2) { told in
            for view in views {
                withObservationTracking {
                    _ = view.body
                } onChange: {
                    told()
                }
            }
            account.session.signIn(ada, credential: credential)
        }

        #expect(views.map { $0.body.json["person"] } == ["Ada", "Ada"])
    }

    @Test("Signing out and changes of the person are seen in the same way")
    func changes() async throws {
        let (account, views) = try await build()
        account.session.signIn(ada, credential: credential)

        account.session.update(SessionUser(id: "1", email: "ada@example.com", displayName: "Countess"))
        #expect(views.map { $0.body.json["person"] } == ["Countess", "Countess"])

        account.session.signOut()
        #expect(views.map { $0.body.json["person"] } == [.null, .null])
    }

    @Test("Observers of isSignedIn are not notified of another property of the same person")
    func credentialOnly() async throws {
        let session = TestSession(ada)

        await confirmation("a view that was drawn again is told once", expectedCount: 1) { told in
            withObservationTracking {
                _ = session.state.expiresAt
            } onChange: {
                told()
            }
            session.writer.signIn(ada, credential: credential)
            session.writer.signOut()
        }
    }

    @Test(
        "The session holds the user, the credential, the stack and the observers, and nothing else"
    )
    func minimal() {
        let stored = Mirror(reflecting: SessionManager.isolated()).children.compactMap(\.label)

        #expect(Set(stored) == ["_user", "_credential", "stack", "observers", "_$observationRegistrar"])
    }

    @Test("A view that is gone is not held by the session that it read")
    func release() async throws {
        let session = TestSession()
        var model: BadgeViewModel? = BadgeViewModel(session: session.state)
        weak let released = model
        if let model {
            withObservationTracking {
                _ = BadgeView(viewModel: model).body
            } onChange: {
            }
        }

        model = nil

        #expect(released == nil)
    }

    @Test("Each test has a session of its own, whatever others do meanwhile", arguments: 0..<8)
    func isolated(_ number: Int) async throws {
        let container = try TestContainer(SignInModule.self, BadgeModule.self)
        let account = try container.repository(Account.self)
        let badge: BadgeViewModel = try container.viewModel()
        #expect(badge.session.user == nil)

        account.session.signIn(SessionUser(id: "\(number)", email: "\(number)"), credential: credential)
        await Task.yield()

        #expect(badge.session.user?.id == "\(number)")
        #expect(SessionManager.shared.user == nil)
    }
}
