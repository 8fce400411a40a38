import AtriumKit
import AtriumTesting
import Synchronization
import Testing

@testable import ActorAfter
@testable import ActorBefore

/// In each test a first request has got token 1, which has expired since.
@Suite("Migration 4: a class APIManager becomes an actor", .timeLimit(.minutes(1)))
struct ActorTests {
    private let clock = CountingClock()

    /// The next refresh is answered when two callers have looked at the expired token.
    private func issuer() -> Issuer {
        Issuer { [clock] number in if number > 1 { await clock.looks.reach(2) } }
    }

    @Test("The class refreshes for each of two callers")
    func duplicated() async throws {
        let issuer = issuer()
        let service = try await oldService(issuer)

        async let first = service.member()
        async let second = service.member()
        _ = await (try? first, try? second)

        #expect(issuer.refreshes.value == 1 + 2)
    }

    @Test("The second refresh revokes the token of the first, whose caller is refused")
    func refused() async throws {
        let refreshes = Counter()
        let service = try await oldService(
            Issuer(refreshes) { number in if number > 1 { await refreshes.reach(3) } })

        async let first = failing { _ = try await service.member() }
        async let second = failing { _ = try await service.member() }
        let failures = await [first, second].compactMap(\.self)

        #expect(failures == [revoked])
    }

    @Test("An actor alone refreshes for each of two callers: it lets the second in while the first waits")
    func halfway() async throws {
        let issuer = issuer()
        let api = HalfwayAPIManager(server: NewServer(issuer: issuer), clock: clock)
        _ = try await api.request { try await $0.member($1) }
        clock.expire()

        async let first = api.request { try await $0.member($1) }
        async let second = api.request { try await $0.member($1) }
        _ = await (try? first, try? second)

        #expect(issuer.refreshes.value == 1 + 2)
    }

    @Test("The actor that keeps its refresh refreshes once for two callers, and both are answered")
    func once() async throws {
        let issuer = issuer()
        let service = try await newService(issuer)

        async let first = service.member()
        async let second = service.member()
        _ = try await (first, second)

        #expect(issuer.refreshes.value == 1 + 1)
    }

    @Test("A thousand callers at once cause one refresh, and all are answered")
    func thousand() async throws {
        let issuer = issuer()
        let service = try await newService(issuer)

        try await withThrowingTaskGroup { group in
            for _ in 0..<1_000 { group.addTask { _ = try await service.member() } }
            try await group.waitForAll()
        }

        #expect(issuer.refreshes.value == 1 + 1)
    }

    @Test("A refresh that fails is not kept: the next request refreshes again")
    func failed() async throws {
        let failure = ServiceError("busy", "The server is busy.")
        let issuer = Issuer { number in if number == 2 { throw failure } }
        let service = try await newService(issuer)

        let error = await failing { _ = try await service.member() }
        _ = try await service.member()

        #expect(error == failure)
        #expect(issuer.refreshes.value == 1 + 2)
    }

    private func oldService(_ issuer: Issuer) async throws -> ActorBefore.RemoteMemberService {
        let api = ActorBefore.APIManager(server: OldServer(issuer: issuer), clock: clock)
        let service = ActorBefore.RemoteMemberService(api: api)
        _ = try await service.member()
        clock.expire()
        return service
    }

    private func newService(_ issuer: Issuer) async throws -> ActorAfter.RemoteMemberService {
        let api = ActorAfter.APIManager(server: NewServer(issuer: issuer), clock: clock)
        let service = ActorAfter.RemoteMemberService(api: api)
        _ = try await service.member()
        clock.expire()
        return service
    }

    private func failing(_ work: () async throws -> Void) async -> ServiceError? {
        do { try await work() } catch { return error as? ServiceError }
        return nil
    }
}

/// The first step of the migration, as the design documents have it: the compiler is content with it.
private actor HalfwayAPIManager {
    private let server: any ActorAfter.Server
    private let clock: any WallClock
    private var token: ActorAfter.Token?

    init(server: any ActorAfter.Server, clock: any WallClock) {
        self.server = server
        self.clock = clock
    }

    func request<Answer: Sendable>(
        _ send: @Sendable (any ActorAfter.Server, ActorAfter.Token) async throws -> Answer
    ) async throws -> Answer {
        try await send(server, validToken())
    }

    private func validToken() async throws -> ActorAfter.Token {
        if let token, token.expiry > clock.now() { return token }
        let fresh = try await server.refresh()
        token = fresh
        return fresh
    }
}

// MARK: - A server that waits as a test says

/// What a server answers to a token that is not its newest.
private let revoked = ServiceError(.notAuthenticated, "The token was revoked.")

/// Issues tokens 1, 2 and so on; the first expires with ``CountingClock/expire()``, the newest is valid.
private struct Issuer: Sendable {
    let refreshes: Counter
    /// Runs before the token of a number is issued.
    let wait: @Sendable (Int) async throws -> Void

    init(_ refreshes: Counter = Counter(), wait: @escaping @Sendable (Int) async throws -> Void) {
        self.refreshes = refreshes
        self.wait = wait
    }

    func issue() async throws -> (text: String, expiry: Timestamp) {
        let number = refreshes.count()
        try await wait(number)
        return ("\(number)", number == 1 ? CountingClock.start.adding(seconds: 60) : .distant)
    }

    func isValid(_ text: String) -> Bool { text == "\(refreshes.value)" }
}

private struct OldServer: ActorBefore.Server {
    let issuer: Issuer

    func refresh() async throws -> ActorBefore.Token {
        let (text, expiry) = try await issuer.issue()
        return ActorBefore.Token(text: text, expiry: expiry)
    }

    func member(_ token: ActorBefore.Token) throws -> ActorBefore.Member? {
        guard issuer.isValid(token.text) else { throw revoked }
        return nil
    }

    func submit(_ member: ActorBefore.Member, _ token: ActorBefore.Token) {}
}

private struct NewServer: ActorAfter.Server {
    let issuer: Issuer

    func refresh() async throws -> ActorAfter.Token {
        let (text, expiry) = try await issuer.issue()
        return ActorAfter.Token(text: text, expiry: expiry)
    }

    func member(_ token: ActorAfter.Token) throws -> ActorAfter.Member? {
        guard issuer.isValid(token.text) else { throw revoked }
        return nil
    }

    func submit(_ member: ActorAfter.Member, _ token: ActorAfter.Token) {}
}

/// Counts how often it was looked at after the first token expired.
private final class CountingClock: WallClock {
    static let start = FixedClock().now()
    let looks = Counter()
    private let hasExpired = Mutex(false)

    func expire() { hasExpired.withLock { $0 = true } }

    func now() -> Timestamp {
        guard hasExpired.withLock({ $0 }) else { return Self.start }
        looks.count()
        return Self.start.adding(seconds: 61)
    }
}

extension Timestamp {
    fileprivate static let distant = FixedClock().now().adding(seconds: 86_400)
}

/// A number that goes up, and those who wait for it.
private final class Counter: Sendable {
    private struct State {
        var value = 0
        var waiters: [(goal: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var value: Int { state.withLock { $0.value } }

    @discardableResult
    func count() -> Int {
        let (value, reached) = state.withLock { state in
            state.value += 1
            let reached = state.waiters.filter { $0.goal <= state.value }
            state.waiters.removeAll { $0.goal <= state.value }
            return (state.value, reached)
        }
        for waiter in reached { waiter.continuation.resume() }
        return value
    }

    /// Waits until the number is at least `goal`.
    func reach(_ goal: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.value < goal else { return true }
                state.waiters.append((goal, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
