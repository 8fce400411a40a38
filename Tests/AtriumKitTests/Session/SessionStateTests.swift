@_spi(Host) import AtriumKit
import AtriumTesting
import Observation
import Testing

@Suite("The session")
@MainActor
struct SessionStateTests {
    private let ada = SessionUser(id: "1", email: "ada@example.com")
    private let credential = SessionCredential(token: "t", expiresAt: Timestamp(microseconds: 5))

    @Test("A guest has no user, no credential and nothing to store")
    func guest() {
        let manager = SessionManager.isolated()

        #expect(SessionState(manager).user == nil)
        #expect(!SessionState(manager).isSignedIn)
        #expect(SessionState(manager).expiresAt == nil)
        #expect(SessionWriter(manager).credential == nil)
        #expect(manager.stored == nil)
    }

    @Test("Readers see the user after sign-in, and none after sign-out")
    func signing() {
        let manager = SessionManager.isolated()
        let (state, writer) = (SessionState(manager), SessionWriter(manager))

        writer.signIn(ada, credential: credential)

        #expect(state.user == ada)
        #expect(state.isSignedIn)
        #expect(state.expiresAt == Timestamp(microseconds: 5))
        #expect(writer.credential == credential)

        writer.signOut()

        #expect(state.user == nil)
        #expect(writer.credential == nil)
    }

    @Test("An update changes only the signed-in user, and keeps the credential")
    func update() {
        let manager = SessionManager.isolated()
        let writer = SessionWriter(manager)

        writer.update(ada)
        #expect(writer.user == nil)

        writer.signIn(ada, credential: credential)
        writer.update(SessionUser(id: "2", email: "eve@example.com"))
        #expect(writer.user == ada)

        writer.update(SessionUser(id: "1", email: "ada@example.com", displayName: "Ada"))
        #expect(writer.user?.displayName == "Ada")
        #expect(writer.credential == credential)
    }

    @Test("A destination is current if the last entry of the stack has its link")
    func current() {
        let manager = SessionManager.isolated()
        let stack = FixedStack()
        manager.mirror(stack)
        let state = SessionState(manager)

        #expect(!state.isCurrent(LampDestination(id: 1)))
        stack.path = NavigationPath(["lamps/1", "lamps/2"])

        #expect(state.isCurrent(LampDestination(id: 2)))
        #expect(!state.isCurrent(LampDestination(id: 1)))
    }

    @Test("A change concerns the signed-in user if another host made it, and it is theirs or of all")
    func concerned() {
        let writer = SessionWriter(SessionManager.isolated())
        #expect(!writer.isConcerned(by: DataChange(keys: nil, isOwn: false)))
        writer.signIn(ada, credential: credential)

        #expect(writer.isConcerned(by: DataChange(keys: nil, isOwn: false)))
        #expect(writer.isConcerned(by: DataChange(keys: ["1"], isOwn: false)))
        #expect(!writer.isConcerned(by: DataChange(keys: ["2"], isOwn: false)))
        #expect(!writer.isConcerned(by: DataChange(keys: ["1"], isOwn: true)))
    }

    @Test("The host hears of each change first, also of a new credential of the same person")
    func storing() {
        let manager = SessionManager.isolated()
        let writer = SessionWriter(manager)
        var tokens: [String?] = []
        manager.didChange = { [unowned manager] in tokens.append(manager.stored?.credential.token) }
        let observer = Observer()
        writer.observe(observer) { _, _ in tokens.append("observed") }

        writer.signIn(ada, credential: credential)
        writer.signIn(ada, credential: SessionCredential(token: "u", expiresAt: credential.expiresAt))
        writer.signOut()

        #expect(tokens == ["t", "observed", "u", nil, "observed"])
    }

    private final class Observer {}

    @Test("A stored session is restored; restoring nothing clears the session")
    func restore() throws {
        let manager = SessionManager.isolated()
        SessionWriter(manager).signIn(ada, credential: credential)
        let stored = try #require(manager.stored)
        let next = SessionManager.isolated()

        next.restore(try StateCoding.decode(StoredSession.self, from: StateCoding.encode(stored)))
        #expect(next.stored == stored)

        next.restore(nil)
        #expect(next.stored == nil)
    }

    @Test("Observers are notified of a change")
    func observation() async {
        let session = TestSession()

        await confirmation { changed in
            withObservationTracking {
                _ = session.state.user
            } onChange: {
                changed()
            }
            session.writer.signIn(ada, credential: credential)
        }
    }

    @Test("A credential expires at its expiry time, not before")
    func expiry() {
        #expect(!credential.isExpired(at: Timestamp(microseconds: 4)))
        #expect(credential.isExpired(at: Timestamp(microseconds: 5)))
        #expect(credential.isExpired(at: Timestamp(microseconds: 6)))
    }
}

private struct LampDestination: Destination {
    static let pattern: LinkPattern = "lamps/:id"
    let id: Int
}

/// A stack with a path that does not navigate.
@MainActor
private final class FixedStack: NavigationStack {
    var path = NavigationPath()

    func go(to path: NavigationPath) {}
}
