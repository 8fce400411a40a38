internal import Synchronization

/// The scenario and the recorded calls of a mock service; starts as `modules.json` configures the module.
public final class MockBehavior: Sendable {
    private struct State {
        var configured: MockScenario
        var scenario: MockScenario
        var calls: [Call] = []
        var total = 0
        var failure: (any Error & Sendable)?
    }

    /// True in a ``Story`` without data: a mock then begins with none.
    public let isEmpty: Bool

    /// The service's name, as `mock` shows it: `EntityService`.
    public let service: String
    private let state: Mutex<State>
    private let clock: any WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    /// The most calls that are kept; older ones are only counted.
    static let kept = 1_000

    /// Creates a behavior; ``MockDirector`` keeps one per service.
    @_spi(Host) public init(
        _ service: String, scenario: MockScenario, clock: any WallClock, isEmpty: Bool = false,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.service = service
        self.isEmpty = isEmpty
        state = Mutex(State(configured: scenario, scenario: scenario))
        self.clock = clock
        self.sleep = sleep
    }

    /// The current scenario.
    public var scenario: MockScenario {
        get { state.withLock { $0.scenario } }
        set { state.withLock { $0.scenario = newValue } }
    }

    /// The calls that are kept, oldest first.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The number of calls so far.
    public var callCount: Int { state.withLock { $0.total } }

    /// Records a call, then waits or fails as the scenario says; each method of a mock calls it first.
    ///
    /// The arguments are shown to users, so never pass a secret. Throws `failure` in scenario `error`, or the
    /// error of ``failNext(with:)``.
    public func play(
        _ call: String, _ arguments: [String: String] = [:], failingWith failure: any Error
    ) async throws {
        let (scenario, stubbed) = state.withLock { state in
            state.total += 1
            if state.calls.count == Self.kept { state.calls.removeFirst() }
            state.calls.append(
                Call(
                    number: state.total, name: call, arguments: arguments, scenario: state.scenario.kind,
                    at: clock.now()))
            defer { state.failure = nil }
            return (state.scenario, state.failure)
        }
        if let stubbed { throw stubbed }
        switch scenario.kind {
        case .success, .edge: break
        case .error: throw failure
        case .slow: try await sleep(scenario.delay)
        }
    }

    /// Records a call as ``play(_:_:failingWith:)`` does; in scenario `error`, the service does not answer.
    public func play(_ call: String, _ arguments: [String: String] = [:]) async throws {
        let subject = "The \(Words.label(forKey: service).lowercased())"
        try await play(call, arguments, failingWith: ServiceError.unavailable(subject, mock: service))
    }

    /// Makes the next call fail, whatever the scenario.
    public func failNext(with error: any Error & Sendable) {
        state.withLock { $0.failure = error }
    }

    /// Restores the configured scenario and forgets the calls.
    public func reset() {
        state.withLock { $0 = State(configured: $0.configured, scenario: $0.configured) }
    }

    /// Changes the configured scenario; one that was set at run time stays.
    func configure(_ scenario: MockScenario) {
        state.withLock { state in
            let (present, configured) = (state.scenario, state.configured)
            if present.kind == configured.kind, present.delay == configured.delay {
                state.scenario = scenario
            }
            state.configured = scenario
        }
    }

    /// One call of a mock service.
    public struct Call: Sendable, Hashable {
        /// The number of the call, from 1.
        public let number: Int
        /// The method's name.
        public let name: String
        /// The arguments as the mock passed them, for display.
        public let arguments: [String: String]
        /// The scenario during the call.
        public let scenario: MockScenario.Kind
        /// The time of the call, by the host's clock.
        public let at: Timestamp
    }
}
