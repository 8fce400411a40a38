internal import Synchronization

/// The mock services of the host: what each does, and what it was asked.
@_spi(Host) public final class MockDirector: Sendable {
    /// A mock service of a module.
    public struct Key: Hashable, Sendable, Comparable {
        public let module: String
        public let service: String

        public init(module: String, service: String) {
            self.module = module
            self.service = service
        }

        public static func < (left: Key, right: Key) -> Bool {
            (left.module, left.service) < (right.module, right.service)
        }
    }

    private struct State {
        var behaviors: [Key: MockBehavior] = [:]
        /// What was chosen for services that were not built yet.
        var chosen: [Key: MockScenario] = [:]
    }

    private let state = Mutex(State())
    private let clock: any WallClock
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - clock: Tells when calls happen.
    ///   - sleep: Waits as long as a slow service takes; a test may give its own.
    public init(
        clock: any WallClock,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.clock = clock
        self.sleep = sleep
    }

    /// What a service does, made with `scenario` when it is first asked for; outlives the module's generation.
    public func behavior(
        of service: String, in module: String, scenario: @autoclosure () -> MockScenario
    ) -> MockBehavior {
        let key = Key(module: module, service: service)
        return state.withLock { state in
            if let known = state.behaviors[key] { return known }
            let made = MockBehavior(service, scenario: scenario(), clock: clock, sleep: sleep)
            if let chosen = state.chosen.removeValue(forKey: key) { made.scenario = chosen }
            state.behaviors[key] = made
            return made
        }
    }

    /// Makes a service do something else, from its next call on; also one that is built later.
    public func choose(_ scenario: MockScenario, for key: Key) {
        state.withLock { state in
            if let behavior = state.behaviors[key] {
                behavior.scenario = scenario
            } else {
                state.chosen[key] = scenario
            }
        }
    }

    /// What was chosen for a service, or what it does; nil where nobody said and it was not asked for.
    public func scenario(of key: Key) -> MockScenario? {
        state.withLock { $0.behaviors[key]?.scenario ?? $0.chosen[key] }
    }

    /// What a service does; nil where it was not asked for yet.
    public func behavior(of key: Key) -> MockBehavior? {
        state.withLock { $0.behaviors[key] }
    }

    /// Every service that was asked for, by module and name.
    public var all: [(key: Key, behavior: MockBehavior)] {
        state.withLock { $0.behaviors }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Makes all services do what is configured, and forgets their calls.
    public func reset() {
        let behaviors = state.withLock { state in
            state.chosen = [:]
            return state.behaviors.values
        }
        for behavior in behaviors { behavior.reset() }
    }
}
