internal import Synchronization

/// The mock services of the host: the behavior and the calls of each.
@_spi(Host) public final class MockDirector: Sendable {
    public struct Key: Hashable, Sendable, Comparable {
        /// The module that registers the service.
        public let module: String
        public let service: String

        public init(module: String, service: String) {
            self.module = module
            self.service = service
        }

        /// Orders services by module, then by name.
        public static func < (left: Key, right: Key) -> Bool {
            (left.module, left.service) < (right.module, right.service)
        }
    }

    private struct State {
        var behaviors: [Key: MockBehavior] = [:]
        var chosen: [Key: MockScenario] = [:]
    }

    private let state = Mutex(State())
    private let clock: any WallClock
    private let isEmpty: Bool
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a director; services in scenario `slow` wait with `sleep`, which tests can replace.
    ///
    /// With `isEmpty`, mocks that can begin without data do.
    public init(
        clock: any WallClock, isEmpty: Bool = false,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.clock = clock
        self.isEmpty = isEmpty
        self.sleep = sleep
    }

    /// Returns the behavior of a service, created with `scenario` on first use; it outlives the generation.
    public func behavior(
        of service: String, in module: String, scenario: @autoclosure () -> MockScenario
    ) -> MockBehavior {
        let key = Key(module: module, service: service)
        return state.withLock { state in
            if let known = state.behaviors[key] { return known }
            let made = MockBehavior(
                service, scenario: scenario(), clock: clock, isEmpty: isEmpty, sleep: sleep)
            if let chosen = state.chosen.removeValue(forKey: key) { made.scenario = chosen }
            state.behaviors[key] = made
            return made
        }
    }

    /// Sets the scenario of a service, even before it is built.
    public func choose(_ scenario: MockScenario, for key: Key) {
        state.withLock { state in
            if let behavior = state.behaviors[key] {
                behavior.scenario = scenario
            } else {
                state.chosen[key] = scenario
            }
        }
    }

    /// Returns the scenario of a service, including one chosen before it is built.
    public func scenario(of key: Key) -> MockScenario? {
        state.withLock { $0.behaviors[key]?.scenario ?? $0.chosen[key] }
    }

    /// Returns the behavior of a service; nil until it is built.
    public func behavior(of key: Key) -> MockBehavior? { state.withLock { $0.behaviors[key] } }

    /// All behaviors, sorted by module and service.
    public var all: [(key: Key, behavior: MockBehavior)] {
        state.withLock { $0.behaviors }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Changes the configured scenario of a module's services; one that was set at run time stays.
    public func configure(_ module: String, _ configuration: Configuration) {
        let behaviors = state.withLock { $0.behaviors.filter { $0.key.module == module }.values }
        for behavior in behaviors { behavior.configure(MockScenario(configuration)) }
    }

    /// Restores the configured scenario of every service and forgets their calls.
    public func reset() {
        let behaviors = state.withLock { state in
            state.chosen = [:]
            return state.behaviors.values
        }
        for behavior in behaviors { behavior.reset() }
    }
}
