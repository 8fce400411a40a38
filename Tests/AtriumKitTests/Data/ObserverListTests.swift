@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@MainActor
private final class Listener {
    var heard: [String] = []
}

@Suite("ObserverList")
@MainActor
struct ObserverListTests {
    private let list = ObserverList<String>()

    @Test("Observers are notified in the order in which they were added")
    func order() {
        let first = Listener()
        let second = Listener()
        var order: [String] = []
        list.add(first) { _, event in order.append("first \(event)") }
        list.add(second) { _, event in order.append("second \(event)") }

        list.send("a")

        #expect(order == ["first a", "second a"])
    }

    @Test("A released observer is removed and not notified")
    func pruned() {
        let stays = Listener()
        var leaves: Listener? = Listener()
        list.add(stays) { $0.heard.append($1) }
        list.add(leaves!) { $0.heard.append($1) }
        #expect(list.count == 2)
        #expect(list.names == ["Listener", "Listener"])

        leaves = nil

        #expect(list.names == ["Listener"])
        leaves = Listener()
        list.add(leaves!) { $0.heard.append($1) }
        leaves = nil
        #expect(list.count == 1)
        list.send("a")
        #expect(stays.heard == ["a"])
        list.remove(stays)
        #expect(list.count == 0)
    }

    @Test("The session reports sign-in, changes of the user and sign-out, and nothing if nothing changed")
    func session() {
        let session = TestSession()
        let listener = Listener()
        session.state.observe(listener) { $0.heard.append("\($1)") }
        let ada = SessionUser(id: "1", email: "ada@example.com")
        var named = ada
        named.displayName = "Ada"
        let credential = SessionCredential(token: "t", expiresAt: FixedClock().now())

        session.writer.signIn(ada, credential: credential)
        session.writer.update(ada)
        session.writer.update(named)
        session.writer.signOut()
        session.writer.signOut()

        #expect(
            listener.heard
                == ["\(SessionChange.signedIn(ada))", "\(SessionChange.updated(named))", "signedOut"])
        #expect(session.state.observerNames == ["Listener"])
    }
}
