import AtriumKit
import Testing

@testable import AtriumNetworking

@Suite("Which token a request carries is decided by a value")
struct TokenMachineTests {
    private let now = Timestamp(microseconds: 1_000_000_000)
    private var machine = TokenMachine(leeway: .seconds(10))
    private var course = TokenCourse(.optional)

    @Test("A call belongs to who was signed in when it began")
    mutating func belongs() {
        #expect(token() == nil)

        machine.install(.sample(), now: now, areNew: true)

        guard case .fail(.changed) = machine.step(&course, now: now) else {
            Issue.record("The call was begun by nobody.")
            return
        }
    }

    @Test("Refused tokens are not sent again by any call until they are renewed")
    mutating func refused() {
        machine.install(.sample(), now: now, areNew: true)
        #expect(token() == "access-ada-1")
        #expect(machine.refuse(&course) == .again)

        var other = TokenCourse(.required)
        guard case .renew(let spent) = machine.step(&other, now: now) else {
            Issue.record("Refused tokens were sent.")
            return
        }
        #expect(spent == .sample())
        machine.install(.sample(2), now: now, areNew: true)
        #expect(token() == "access-ada-2")
    }

    @Test("A call is not sent again more than once for tokens that were refused when they were present")
    mutating func onlyOnce() {
        machine.install(.sample(), now: now, areNew: true)
        _ = token()
        #expect(machine.refuse(&course) == .again)
        machine.install(.sample(2), now: now, areNew: true)
        _ = token()
        #expect(machine.refuse(&course) == .giveUp)
    }

    @Test("Tokens that another call was refused with do not count against this one, but not without end")
    mutating func late() {
        machine.install(.sample(), now: now, areNew: true)
        var refusals: [TokenMachine.Refusal] = []
        for number in 2...4 {
            _ = token()
            machine.install(.sample(number), now: now, areNew: true)
            refusals.append(machine.refuse(&course))
        }
        #expect(refusals == [.again, .again, .giveUp])
    }

    @Test("A call waits for three renewals at most")
    mutating func bounded() {
        machine.install(.sample(), now: now, areNew: true)
        _ = token()
        _ = machine.refuse(&course)
        var renewals = 0
        while case .renew = machine.step(&course, now: now), renewals < 10 { renewals += 1 }
        #expect(renewals == 3)
        guard case .fail(.refused) = machine.step(&course, now: now) else {
            Issue.record("Refused tokens were sent.")
            return
        }
    }

    @Test(
        "Tokens that are expired again as soon as they are renewed are sent all the same, and the server decides"
    )
    mutating func alwaysExpired() {
        machine.install(.expired, now: now, areNew: false)
        for _ in 0..<2 {
            guard case .renew = machine.step(&course, now: now) else {
                Issue.record("Expired tokens were sent.")
                return
            }
        }

        #expect(token() == "access-ada-1")
    }

    @Test("A clock that jumps back makes no token good that is not, and one that jumps forward renews early")
    mutating func clockJumps() {
        machine.install(.sample(expiresAt: now.adding(seconds: 60)), now: now, areNew: true)
        #expect(token(at: now.adding(seconds: -100_000)) == "access-ada-1")
        guard case .renew = machine.step(&course, now: now.adding(seconds: 100_000)) else {
            Issue.record("An expired token was sent.")
            return
        }
    }

    private mutating func token(at time: Timestamp? = nil) -> String? {
        if case .send(let token) = machine.step(&course, now: time ?? now) { token } else { nil }
    }
}
