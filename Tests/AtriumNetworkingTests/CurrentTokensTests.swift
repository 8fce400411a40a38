import AtriumKit
import Testing

@testable import AtriumNetworking

@Suite("Deciding which token a request gets")
struct CurrentTokensTests {
    private let now = Timestamp(microseconds: 1_000_000_000)
    private var tokens = CurrentTokens(leeway: .seconds(10))
    private var state = AuthState(.optional, signIn: "ada")

    @Test("A call belongs to the person who was signed in when it began")
    mutating func belongs() throws {
        var state = AuthState(.optional, signIn: nil)
        guard case .send(nil) = try tokens.decide(&state, now: now) else {
            Issue.record("Nobody is signed in.")
            return
        }

        tokens.install(.sample(), now: now, areNew: true)

        let error = #expect(throws: CurrentTokens.Failure.self) { try tokens.decide(&state, now: now) }
        #expect(error == .signInChanged)
    }

    @Test("No call sends refused tokens again before they are refreshed")
    mutating func refused() throws {
        tokens.install(.sample(), now: now, areNew: true)
        #expect(token() == "access-ada-1")
        #expect(tokens.didRefuse(&state) == .retry)

        var other = AuthState(.required, signIn: "ada")
        guard case .refresh(let spent) = try tokens.decide(&other, now: now) else {
            Issue.record("Refused tokens were sent.")
            return
        }
        #expect(spent == .sample())
        tokens.install(.sample(2), now: now, areNew: true)
        #expect(token() == "access-ada-2")
    }

    @Test("A call is retried once for refused tokens")
    mutating func onlyOnce() {
        tokens.install(.sample(), now: now, areNew: true)
        _ = token()
        #expect(tokens.didRefuse(&state) == .retry)
        tokens.install(.sample(2), now: now, areNew: true)
        _ = token()
        #expect(tokens.didRefuse(&state) == .fail)
    }

    @Test("Refusals of replaced tokens are retried twice")
    mutating func late() {
        tokens.install(.sample(), now: now, areNew: true)
        var refusals: [CurrentTokens.RefusalDecision] = []
        for number in 2...4 {
            _ = token()
            tokens.install(.sample(number), now: now, areNew: true)
            refusals.append(tokens.didRefuse(&state))
        }
        #expect(refusals == [.retry, .retry, .fail])
    }

    @Test("A call waits for three refreshes at most")
    mutating func bounded() throws {
        tokens.install(.sample(), now: now, areNew: true)
        _ = token()
        _ = tokens.didRefuse(&state)
        var refreshes = 0
        while refreshes < 10, case .refresh? = try? tokens.decide(&state, now: now) { refreshes += 1 }
        #expect(refreshes == 3)
        let error = #expect(throws: CurrentTokens.Failure.self) { try tokens.decide(&state, now: now) }
        #expect(error == .refused)
    }

    @Test(
        "Tokens that are expired right after a refresh are sent; the server decides"
    )
    mutating func alwaysExpired() throws {
        tokens.install(.expired, now: now, areNew: false)
        for _ in 0..<2 {
            guard case .refresh = try tokens.decide(&state, now: now) else {
                Issue.record("Expired tokens were sent.")
                return
            }
        }

        #expect(token() == "access-ada-1")
    }

    @Test("A clock that jumps back keeps tokens, one that jumps forward refreshes early")
    mutating func clockJumps() throws {
        tokens.install(.sample(expiresAt: now.adding(seconds: 60)), now: now, areNew: true)
        #expect(token(at: now.adding(seconds: -100_000)) == "access-ada-1")
        guard case .refresh = try tokens.decide(&state, now: now.adding(seconds: 100_000)) else {
            Issue.record("An expired token was sent.")
            return
        }
    }

    private mutating func token(at time: Timestamp? = nil) -> String? {
        if case .send(let token)? = try? tokens.decide(&state, now: time ?? now) { token } else { nil }
    }
}
