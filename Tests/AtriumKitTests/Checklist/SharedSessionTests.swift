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

@Suite("One session shared by all modules", .sharedSession)
@MainActor
struct SharedSessionTests {
    private let ada = SessionUser(id: "1", email: "ada@example.com", displayName: "Ada")
    private let credential = SessionCredential(token: "t", expiresAt: Timestamp(microseconds: 5))

    /// Builds two views of one module and the repository of another.
    private func build() async throws -> (account: Account, views: [BadgeView]) {
        let container = try TestContainer(SignInModule.self, BadgeModule.self)
        let views = try (0..<2).map { _ in BadgeView(viewModel: try container.viewModel()) }
        return (try container.repository(Account.self), views)
    }

    @Test("A session written by one module's repository shows in every view of another module")
    func flow() async throws {
        let (account, views) = try await build()
        #expect(views.map { $0.body.json["person"] } == [.null, .null])

        await confirmation("each view is notified once", expectedCount: 2) { notified in
            for view in views {
                withObservationTracking {
                    _ = view.body
                } onChange: {
                    notified()
                }
            }
            account.session.signIn(ada, credential: credential)
        }

        #expect(views.map { $0.body.json["person"] } == ["Ada", "Ada"])
    }

    @Test("Every view shows a changed user, and no user after sign-out")
    func changes() async throws {
        let (account, views) = try await build()
        account.session.signIn(ada, credential: credential)

        account.session.update(SessionUser(id: "1", email: "ada@example.com", displayName: "Countess"))
        #expect(views.map { $0.body.json["person"] } == ["Countess", "Countess"])

        account.session.signOut()
        #expect(views.map { $0.body.json["person"] } == [.null, .null])
    }

    @Test("An observer of the session's expiry is notified once over a sign-in and a sign-out")
    func credentialOnly() async throws {
        let session = TestSession(ada)

        await confirmation("the observer is notified once", expectedCount: 1) { notified in
            withObservationTracking {
                _ = session.state.expiresAt
            } onChange: {
                notified()
            }
            session.writer.signIn(ada, credential: credential)
            session.writer.signOut()
        }
    }

    @Test("The session holds the user, the credential, the stack and whom to notify, and nothing else")
    func minimal() {
        let stored = Mirror(reflecting: SessionManager.isolated()).children.compactMap(\.label)

        #expect(
            Set(stored) == [
                "_user", "_credential", "stack", "observers", "_$observationRegistrar", "didChange",
            ])
    }

    @Test("The session does not retain a view model that observed it")
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

    @Test("Each test has its own session, unaffected by tests that run at the same time", arguments: 0..<8)
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
