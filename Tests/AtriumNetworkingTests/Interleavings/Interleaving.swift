import AtriumKit
import AtriumTesting
import Testing

@testable import AtriumNetworking

/// Runs a client against a server, step by step, in an order that a seed determines.
///
/// Between two steps everything stands still: each call waits at the transport, for a renewal or between two
/// attempts, and one step lets one of them go on. So a run is the same each
/// time, and what must hold can be looked at after every step.
final class Interleaving {
    private struct Caller {
        let task: Task<String, Never>
        /// The sign-in when the call started.
        let signIn: String
    }

    private let seed: UInt64
    private let numbers: Numbers
    private let server = ModelServer()
    private let client: TestClient
    private let outcomes = Counter()
    private var callers: [Caller] = []
    private var signIn: String?
    private var people = 0
    private var seen = 0
    /// How many calls have succeeded at the end of the run.
    private(set) var answered = 0

    init(seed: UInt64) throws {
        self.seed = seed
        numbers = Numbers(seed: seed)
        let server = server
        client = try TestClient { try server.reply($0) }
        client.transport.hold()
        client.time.hold()
    }

    /// Runs `steps` steps, then lets every call end.
    func run(steps: Int) async throws {
        try await changeSignIn()
        for _ in 0..<steps {
            try await step()
            guard await check() else { return }
        }
        try await drain()
    }

    private func step() async throws {
        switch numbers.below(20) {
        case 0..<6: begin()
        case 6..<14: release()
        case 14..<16: wake()
        case 16: callers.isEmpty ? () : callers[numbers.below(callers.count)].task.cancel()
        case 17: server.expire()
        case 18: client.clock.advance(seconds: 61)
        default: try await changeSignIn()
        }
    }

    private func begin() {
        let access: APIAccess = numbers.below(2) == 0 ? .optional : .required
        let endpoint: Endpoint<Row> =
            numbers.below(3) == 0 ? .create(Row(id: 1, name: "")) : .row(numbers.below(4), access: access)
        let (manager, outcomes) = (client.manager, outcomes)
        let task = Task {
            defer { outcomes.add() }
            do { return "\(try await manager.request(endpoint).name)" } catch { return "error \(error)" }
        }
        callers.append(Caller(task: task, signIn: signIn ?? "nobody"))
    }

    private func release() {
        let held = client.transport.held
        guard !held.isEmpty else { return }
        let faults: [ModelServer.Fault?] = [nil, nil, nil, nil, .refuse, .lose, .unavailable]
        let fault = faults[numbers.below(faults.count)]
        let index = numbers.below(held.count)
        // Refreshes are refused less often, or few sign-ins would last.
        server.fail(held[index].isForTokens && fault == .refuse && numbers.below(3) > 0 ? nil : fault)
        client.transport.releaseOne(at: index)
    }

    private func wake() {
        let sleepers = client.time.sleepers
        if !sleepers.isEmpty { client.time.wake(sleepers[numbers.below(sleepers.count)]) }
    }

    private func changeSignIn() async throws {
        people += 1
        signIn = numbers.below(3) == 0 ? nil : "p\(people)"
        try await client.manager.use(signIn.map(server.signIn))
    }

    private func drain() async throws {
        for _ in 0..<10_000 where outcomes.count < callers.count || !client.transport.held.isEmpty {
            server.fail(nil)
            if client.transport.held.isEmpty { wake() } else { client.transport.releaseOne() }
            guard await check() else { return }
        }
        for caller in callers {
            let outcome = await caller.task.value
            if outcome == caller.signIn { answered += 1 }
            #expect(
                outcome.hasPrefix("error") || outcome == caller.signIn,
                "A call of \(caller.signIn) got the response of \(outcome) (seed \(seed)).")
        }
        #expect(outcomes.count == callers.count, "A call has no outcome, or several (seed \(seed)).")
    }

    // MARK: - Invariants after each step

    private func check() async -> Bool {
        guard await settle() else {
            Issue.record("The calls do not settle (seed \(seed)).")
            return false
        }
        if let current = signIn, server.ended.contains(current), await client.manager.tokens == nil {
            signIn = nil
        }
        let tokens = await client.manager.tokens
        #expect(tokens?.id == signIn, "The sign-in changed (seed \(seed)).")
        #expect(client.store.stored == tokens, "The current tokens are not the stored ones (seed \(seed)).")
        checkRenewals()
        checkRequests()
        return true
    }

    private func checkRenewals() {
        let renewals = client.transport.held.filter(\.isForTokens).map {
            HTTPRequest.signIn(of: $0.spentToken)
        }
        #expect(Set(renewals).count == renewals.count, "Two refreshes at once (seed \(seed)).")
    }

    private func checkRequests() {
        let requests = client.transport.requests
        defer { seen = requests.count }
        for request in requests[seen...] {
            if request.isForTokens {
                #expect(!server.spent.contains(request.spentToken), "A spent token was sent (seed \(seed)).")
            } else if let token = request.token {
                #expect(!server.refused.contains(token), "A refused token was sent (seed \(seed)).")
                #expect(
                    HTTPRequest.signIn(of: token) == signIn,
                    "A token of a former sign-in was sent (seed \(seed)).")
            }
        }
    }

    /// Waits until nothing moves: every call and every refresh is suspended at a known point.
    private func settle() async -> Bool {
        var last: [Int] = []
        return await eventually {
            let progress = await progress()
            defer { last = progress }
            return progress[0] == progress[1] && progress == last
        }
    }

    private func progress() async -> [Int] {
        let (waiting, renewals) = await client.manager.waiting
        let alive = callers.count - outcomes.count
        let held = client.transport.held.count
        let sleeping = client.time.sleepers.count
        return [held + sleeping + waiting, alive + renewals, held, sleeping, client.transport.requests.count]
    }
}

extension APIManager {
    /// How many calls wait for a renewal, and how many renewals are under way.
    fileprivate var waiting: (calls: Int, renewals: Int) {
        (metrics.waitingForTokens, refreshes.count)
    }
}
