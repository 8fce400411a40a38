import AtriumKit
import AtriumNetworking
import AtriumTesting
import Synchronization

/// A client over a scripted transport, with time under the test's control.
struct TestClient {
    let manager: APIManager
    let transport: ScriptedTransport
    let store: RecordingTokenStore
    let clock = FixedClock()
    let time = ManualTime()
    let log = RecordingLog()
    let tracer = APITracer()

    init(
        tokens: AccessTokens? = nil, url: String = "http://server.test",
        configure: (inout APIConfiguration) -> Void = { _ in }, random: UInt64? = nil,
        _ reply: @escaping ScriptedTransport.Reply
    ) throws {
        var configuration = try APIConfiguration(url: url)
        configure(&configuration)
        let transport = ScriptedTransport(reply)
        let numbers = Numbers(seed: 1)
        store = RecordingTokenStore(tokens)
        self.transport = transport
        manager = APIManager(
            configuration: configuration, transport: { transport }, tokens: store, clock: clock,
            uptime: { [time] in time.now }, random: { random ?? numbers.next() },
            sleep: { [time] in try await time.sleep($0) }, logger: log.logger, tracer: tracer)
    }

    /// The requests whose URL ends with `path`.
    func requests(_ path: String) -> [HTTPRequest] {
        transport.requests.filter { $0.url.hasSuffix(path) }
    }

    var refreshes: Int { requests("/oauth/token").count }
}

/// Time that advances at once by each sleep, or holds sleepers until the test wakes them.
final class ManualTime: Sendable {
    private struct State {
        var now = Duration.zero
        var sleeps: [Duration] = []
        var holds = false
        var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }
    /// The requested durations, in order.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }
    /// The numbers of the current sleepers.
    var sleepers: [Int] { state.withLock { $0.sleepers.keys.sorted() } }

    func advance(_ time: Duration) { state.withLock { $0.now += time } }
    func hold() { state.withLock { $0.holds = true } }

    func wake(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.resume()
    }

    func sleep(_ time: Duration) async throws {
        let number = state.withLock { state -> Int? in
            state.sleeps.append(time)
            state.count += 1
            if !state.holds { state.now += time }
            return state.holds ? state.count : nil
        }
        try Task.checkCancellation()
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { gate in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.sleepers[number] = gate
                    return false
                }
                if isCancelled { gate.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let gate = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            gate?.resume(throwing: CancellationError())
        }
    }
}

/// A token store that records its calls.
final class RecordingTokenStore: TokenStore {
    struct Failure: Error {}

    private struct State {
        var tokens: AccessTokens?
        var events: [String] = []
        var failure: Failure?
        var next: (tokens: AccessTokens?, loads: Int)?
    }

    private let state: Mutex<State>

    init(_ tokens: AccessTokens?) {
        state = Mutex(State(tokens: tokens))
    }

    var stored: AccessTokens? { state.withLock { $0.tokens } }
    var events: [String] { state.withLock { $0.events } }
    func failWrites() { state.withLock { $0.failure = Failure() } }

    /// Stores tokens as another process would.
    func replace(_ tokens: AccessTokens?) { state.withLock { $0.tokens = tokens } }

    /// Stores tokens as another process would, after so many more loads.
    func replace(_ tokens: AccessTokens?, afterLoads loads: Int) {
        state.withLock { $0.next = (tokens, loads) }
    }

    func load() throws -> AccessTokens? {
        state.withLock { state in
            let loaded = state.tokens
            if let next = state.next {
                state.next = next.loads > 1 ? (next.tokens, next.loads - 1) : nil
                if next.loads == 1 { state.tokens = next.tokens }
            }
            return loaded
        }
    }

    func save(_ tokens: AccessTokens) throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.tokens = tokens
            state.events.append("save \(tokens.accessToken)")
        }
    }

    func clear() throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.tokens = nil
            state.events.append("clear")
        }
    }
}

/// A reproducible sequence of random numbers (SplitMix64).
final class Numbers: Sendable {
    private let state: Mutex<UInt64>

    init(seed: UInt64) {
        state = Mutex(seed)
    }

    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// A number from 0 to `bound` - 1.
    func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
