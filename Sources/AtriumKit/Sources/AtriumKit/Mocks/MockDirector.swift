internal import Synchronization

/// The mock services of the host: what each does, and what it was asked.
@_spi(Host) public final class MockDirector: Sendable {
    /// A mock service of a module.
    public struct Key: Hashable, Sendable, Comparable {
        public let module: String
        public let service: String

        public static func < (left: Key, right: Key) -> Bool {
            (left.module, left.service) < (right.module, right.service)
        }
    }

    private let behaviors = Mutex<[Key: MockBehavior]>([:])
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
        return behaviors.withLock { behaviors in
            if let known = behaviors[key] { return known }
            let made = MockBehavior(service, scenario: scenario(), clock: clock, sleep: sleep)
            behaviors[key] = made
            return made
        }
    }

    /// Every service that was asked for, by module and name.
    public var all: [(key: Key, behavior: MockBehavior)] {
        behaviors.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
