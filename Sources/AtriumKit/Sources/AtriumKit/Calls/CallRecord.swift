internal import Synchronization

/// The command that a task belongs to, for the log and for taps.
@_spi(Host) public struct CommandOrigin: Sendable, Hashable {
    // architecture: allow singleton, because each task has its own
    @TaskLocal public static var current: CommandOrigin?

    public let scene: String
    /// Without secrets.
    public let command: String
    /// The screen on which it was typed; the log does not keep it.
    public var link: String?

    public init(scene: String, command: String, link: String? = nil) {
        (self.scene, self.command, self.link) = (scene, command, link)
    }
}

/// A call of a service that has ended, in texts without secrets.
@_spi(Host) public struct CallRecord: Sendable {
    public let key: MockDirector.Key
    /// The name without labels.
    public let method: String
    public let arguments: [(name: String, text: String)]
    /// The result; nil if there is none.
    public let result: String?
    /// The message of the error; nil if the call succeeded.
    public let failure: String?
    public let duration: Duration
    /// Nil if no command caused the call.
    public let origin: CommandOrigin?
    /// The statements and requests that the call made.
    public let steps: [CallStep]
}

/// A statement of SQL, or a request to a server, below a call.
@_spi(Host) public struct CallStep: Sendable {
    public let text: String
    public let duration: Duration

    public init(_ text: String, _ duration: Duration) { (self.text, self.duration) = (text, duration) }
}

/// A call that is tapped and still runs; the code below it notes its steps.
@_spi(Host) public final class TappedCall: Sendable {
    /// The call that the current task makes; nil if it is not tapped.
    // architecture: allow singleton, because each task has its own
    @TaskLocal public static var current: TappedCall?

    let start = ContinuousClock.now
    private let steps = Mutex<[CallStep]>([])
    static let mostSteps = 20

    init() {}

    /// Notes a step; one more than ``mostSteps`` counts as "more".
    public func note(_ step: @autoclosure () -> CallStep) {
        steps.withLock { if $0.count <= Self.mostSteps { $0.append(step()) } }
    }

    var takenSteps: [CallStep] {
        var taken = steps.withLock { $0 }
        if taken.count > Self.mostSteps { taken[Self.mostSteps] = CallStep("… and more", .zero) }
        return taken
    }
}

/// Reports the calls of a service to a front end, on the main actor and in batches.
///
/// At most 200 records wait: what does not fit is counted, so that no call waits for a front end.
@_spi(Host) public final class CallTap: Sendable {
    /// A service, or one of its methods.
    public struct Target: Sendable, Hashable {
        public let key: MockDirector.Key
        /// Without labels; nil for all.
        public let method: String?

        public init(_ key: MockDirector.Key, method: String?) { (self.key, self.method) = (key, method) }

        /// As it is typed.
        public var name: String { key.service + (method.map { ".\($0)" } ?? "") }
    }

    /// The calls that are reported.
    public struct Filter: Sendable {
        public var slowerThan: Duration?
        public var onlyFailures = false

        public init(slowerThan: Duration? = nil, onlyFailures: Bool = false) {
            (self.slowerThan, self.onlyFailures) = (slowerThan, onlyFailures)
        }
    }

    public let target: Target
    /// The number of records after which it ends.
    public let limit: Int
    private let filter: Filter
    private let queue: MainActorQueue<CallRecord>
    private let taken = Atomic(0)
    static let mostWaiting = 200

    /// Creates a tap; ``CallMonitor/start(_:)`` starts it.
    public init(
        _ target: Target, _ filter: Filter, limit: Int,
        _ receive: @escaping MainActorQueue<CallRecord>.Receiver
    ) {
        (self.target, self.filter, self.limit) = (target, filter, limit)
        queue = MainActorQueue(limit: Self.mostWaiting, receive)
    }

    /// The number of calls so far.
    public var count: Int { min(taken.load(ordering: .relaxed), limit) }

    /// Takes a call that fits, if there is room for its record; the others are only counted.
    func takesCall(of duration: Duration, failed: Bool) -> Bool {
        guard filter.slowerThan.map({ duration > $0 }) ?? true, failed || !filter.onlyFailures,
            taken.add(1, ordering: .relaxed).oldValue < limit
        else { return false }
        return queue.hasRoom
    }

    func add(_ record: CallRecord) { queue.add(record) }

    /// Delivers what waits.
    @MainActor public func deliver() { queue.deliver() }
}

/// Delivers values of any thread to the main actor, in batches, until it is released.
///
/// At most `limit` values wait; what does not fit is counted, so that no thread waits for the main actor.
@_spi(Host) public final class MainActorQueue<Element: Sendable>: Sendable {
    public typealias Receiver = @MainActor @Sendable (_ elements: [Element], _ dropped: Int) -> Void

    private struct State {
        var waiting: [Element] = []
        var dropped = 0
        var isScheduled = false
    }

    private let limit: Int
    private let receive: Receiver
    private let state = Mutex(State())

    public init(limit: Int, _ receive: @escaping Receiver) { (self.limit, self.receive) = (limit, receive) }

    /// True if another value may wait; else it is counted as dropped.
    var hasRoom: Bool {
        state.withLock { state in
            if state.waiting.count < limit { return true }
            state.dropped += 1
            return false
        }
    }

    public func add(_ element: Element) {
        let isFirst = state.withLock { state in
            if state.waiting.count < limit { state.waiting.append(element) } else { state.dropped += 1 }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { Task { @MainActor [weak self] in self?.deliver() } }
    }

    /// Delivers what waits.
    @MainActor public func deliver() {
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        if !taken.waiting.isEmpty || taken.dropped > 0 { receive(taken.waiting, taken.dropped) }
    }
}
