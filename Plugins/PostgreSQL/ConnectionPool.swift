@_spi(Host) import AtriumKit
import Dispatch
import Synchronization

/// The connections to one database: each runs one closure at a time, on its own thread.
final class ConnectionPool: Sendable {
    private let url: String
    private let limits: Limits
    private let state = Mutex(State())
    private let areSessionsChecked = Mutex(false)

    private struct State {
        /// The lanes that no closure uses, each with a connection; the one used last comes last.
        var free: [Lane] = []
        /// The lanes for transactions, and those of them that are opening their connection.
        var count = 0
        var opening = 0
        var waiting: [Waiting] = []
        /// Threads that found the server at its connection limit, in the order in which lanes give one up.
        var starving: [Starving] = []
        var transactions = 0
        var conflicts = 0
        /// True if idle connections will be closed.
        var isClosing = false

        /// The lanes that run a closure on their connection.
        var busy: Int { count - opening - free.count }
    }

    /// A thread, and its connection once there is one.
    // architecture: allow unchecked-sendable, because only closures on the thread use the connection
    final class Lane: @unchecked Sendable {
        let thread = LaneThread()
        /// True if it is one of the pool's, false if it is for a change of a module.
        let isCounted: Bool
        var connection: ServerConnection?
        /// The schema version before the change of its open transaction; nil outside of a change.
        var migratedFrom: Int?
        /// The announcements of that transaction.
        var announcements: [Announcement] = []
        /// The time since which no closure uses it.
        fileprivate var idleSince = 0.0

        init(isCounted: Bool = false) { self.isCounted = isCounted }
    }

    /// A thread that waits for a connection, and the connection once another lane has given one up.
    // architecture: allow unchecked-sendable, because the state's lock guards its connection
    private final class Starving: @unchecked Sendable {
        let wakeUp = DispatchSemaphore(value: 0)
        var connection: ServerConnection?
    }

    private struct Waiting {
        let cancellation: Cancellation
        let caller: CheckedContinuation<Lane, any Error>
    }

    init(_ url: String, _ limits: Limits) {
        self.url = url
        self.limits = limits
    }

    /// Runs a closure on a lane, in the order of the calls; a waiting one ends at once if cancelled.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ body: @escaping @Sendable (Lane, Cancellation) throws -> Value
    ) async throws -> Value {
        let lane = try await acquire()
        defer { release(lane) }
        return try await run(on: lane) { lane, cancellation in
            // Don't give an interrupted transaction to the next closure.
            defer { if lane.connection?.isInTransaction == true { lane.connection = nil } }
            return try body(lane, cancellation)
        }
    }

    /// Runs a closure on a lane that the caller holds.
    nonisolated(nonsending) func run<Value: Sendable>(
        on lane: Lane, _ body: @escaping @Sendable (Lane, Cancellation) throws -> Value
    ) async throws -> Value {
        try await cancellable { cancellation in
            try await lane.thread.run {
                try cancellation.check()
                return try body(lane, cancellation)
            }
        }
    }

    /// Takes a lane until ``release(_:)``.
    private nonisolated(nonsending) func acquire() async throws -> Lane {
        try Task.checkCancellation()
        if let lane = state.withLock({ takeLane(&$0) }) { return lane }
        return try await cancellable { cancellation in
            try await withCheckedThrowingContinuation {
                enqueue(Waiting(cancellation: cancellation, caller: $0))
            }
        } onCancel: { [self] in
            for waiting in takeCancelled() { waiting.caller.resume(throwing: CancellationError()) }
        }
    }

    /// Runs an operation that is informed of its task's cancellation; stays on the caller's thread.
    private func cancellable<Value: Sendable>(
        _ operation: nonisolated(nonsending) (Cancellation) async throws -> Value,
        onCancel: @Sendable () -> Void = {}, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            // Without the capture the closure would run on another thread.
            _ = isolation
            return try await operation(cancellation)
        } onCancel: {
            cancellation.cancel()
            onCancel()
        }
    }

    /// The number of connections and transactions so far.
    var usage: DatabaseUsage {
        state.withLock { state in
            var usage = DatabaseUsage()
            usage.limit = limits.connections
            usage.connections = state.count - state.opening
            usage.busy = state.busy
            usage.waiting = state.waiting.count + state.starving.count
            (usage.transactions, usage.conflicts) = (state.transactions, state.conflicts)
            return usage
        }
    }

    /// Counts a transaction that the server refused as a conflict.
    func countConflict() { state.withLock { $0.conflicts += 1 } }

    /// The connection of a lane, opened on the lane's thread.
    ///
    /// - Throws: ``ServerFailure``.
    func connection(of lane: Lane, _ cancellation: Cancellation? = nil) throws -> ServerConnection {
        if let connection = lane.connection, connection.isAlive { return connection }
        lane.connection = nil
        if lane.isCounted { state.withLock { $0.opening += 1 } }
        defer { if lane.isCounted { state.withLock { $0.opening -= 1 } } }
        let connection = try connect(cancellation)
        lane.connection = connection
        return connection
    }

    /// Opens a connection, or takes one of another lane if the server has none left.
    ///
    /// Waits up to the statement limit while another lane is busy, else up to the limit of connecting. The
    /// feed is served before the lanes.
    ///
    /// - Throws: ``ServerFailure``.
    func connect(_ cancellation: Cancellation? = nil, isFeed: Bool = false) throws -> ServerConnection {
        let start = ServerConnection.now
        var pause = 0.1
        while true {
            do {
                return try ServerConnection(url, limits)
            } catch let failure as ServerFailure where failure.isOfConnectionLimit {
                try cancellation?.check()
                let isBusy = state.withLock { $0.busy > 0 }
                let limit = isBusy ? max(limits.statement, limits.connect) : limits.connect
                let rest = start + limit - ServerConnection.now
                if let connection = idleConnection(within: min(pause, rest), cancellation, isFeed: isFeed) {
                    return connection
                }
                guard rest > 0 else { throw failure }
                // Each attempt costs the server a process.
                pause = min(pause * 2, 2)
            }
        }
    }

    /// A connection of a free lane, or the first that a lane gives up within some seconds.
    private func idleConnection(
        within seconds: Double, _ cancellation: Cancellation?, isFeed: Bool
    ) -> ServerConnection? {
        let me = Starving()
        let idle = state.withLock { state -> ServerConnection? in
            if let lane = state.free.popLast() {
                state.count -= 1
                return lane.connection
            }
            state.starving.insert(me, at: isFeed ? 0 : state.starving.count)
            return nil
        }
        if let idle { return idle.isAlive ? idle : nil }
        let end = ServerConnection.now + seconds
        // Short, so that a cancellation is noticed.
        while cancellation?.isCancelled != true, ServerConnection.now < end,
            me.wakeUp.wait(timeout: .now() + min(0.1, seconds)) == .timedOut
        {}
        return state.withLock { state in
            state.starving.removeAll { $0 === me }
            return me.connection
        }
    }

    /// Refuses a pooler that gives each transaction another session: prepared statements, locks and
    /// notifications belong to a session.
    ///
    /// - Throws: ``ServerFailure`` if two transactions of a connection ran in different sessions, or those of
    ///   two connections in the same.
    func requireSessions(_ connection: ServerConnection) throws {
        guard connection.isPooled else { return }
        try areSessionsChecked.withLock { isDone in
            guard !isDone else { return }
            // Without a second connection nothing can be found out.
            if let other = try? ServerConnection(url, limits) {
                for _ in 0..<3 { try Self.requireSessions(connection, other) }
            }
            isDone = true
        }
    }

    private static func requireSessions(_ connection: ServerConnection, _ other: ServerConnection) throws {
        let session = try connection.session()
        // The open transaction keeps its session, which may be the one that the first connection had.
        do { try other.run("BEGIN") } catch let failure as ServerFailure
            where failure.words.contains("statement pooling")
        {
            throw ServerFailure(state: ServerFailure.pooled, words: "it is in statement mode")
        }
        defer { _ = try? other.run("ROLLBACK") }
        guard try other.session() != session, try connection.session() == session else {
            throw ServerFailure(state: ServerFailure.pooled, words: "it is in transaction mode")
        }
    }

    private func release(_ lane: Lane) {
        let next = state.withLock { state -> Waiting? in
            state.transactions += 1
            if lane.connection?.isAlive != true { lane.connection = nil }
            if let connection = lane.connection, !state.starving.isEmpty {
                let first = state.starving.removeFirst()
                (first.connection, lane.connection) = (connection, nil)
                first.wakeUp.signal()
            }
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            if lane.connection == nil {
                state.count -= 1
            } else {
                lane.idleSince = ServerConnection.now
                state.free.append(lane)
                closeLater(&state)
            }
            return nil
        }
        next?.caller.resume(returning: lane)
    }

    func closeIdle(for seconds: Double = 0) {
        let idle = state.withLock { state in
            let end = ServerConnection.now - seconds
            let idle = state.free.filter { $0.idleSince <= end }
            state.free.removeAll { $0.idleSince <= end }
            state.count -= idle.count
            if seconds > 0 { state.isClosing = false }
            closeLater(&state)
            return idle
        }
        for lane in idle {
            // architecture: allow unowned-task, because it only closes an idle connection
            lane.thread.queue.async { lane.connection = nil }
        }
    }

    /// Schedules closing the connections that stay idle.
    private func closeLater(_ state: inout State) {
        guard !state.isClosing, let first = state.free.first else { return }
        state.isClosing = true
        let rest = first.idleSince + limits.idle - ServerConnection.now
        // architecture: allow unowned-task, because it only closes idle connections
        DispatchQueue.global().asyncAfter(deadline: .now() + max(rest, 0.01)) { [weak self] in
            guard let self else { return }
            closeIdle(for: limits.idle)
        }
    }

    private func enqueue(_ waiting: Waiting) {
        let lane = state.withLock { state -> Lane? in
            if let lane = takeLane(&state) { return lane }
            state.waiting.append(waiting)
            return nil
        }
        if let lane { return waiting.caller.resume(returning: lane) }
        // The cancellation may have come before the caller was enqueued.
        guard waiting.cancellation.isCancelled else { return }
        for waiting in takeCancelled() { waiting.caller.resume(throwing: CancellationError()) }
    }

    /// A free lane, or a new one; nil if the limit is reached.
    private func takeLane(_ state: inout State) -> Lane? {
        if let lane = state.free.popLast() { return lane }
        guard state.count < limits.connections else { return nil }
        state.count += 1
        return Lane(isCounted: true)
    }

    private func takeCancelled() -> [Waiting] {
        state.withLock { state in
            let cancelled = state.waiting.filter(\.cancellation.isCancelled)
            state.waiting.removeAll(where: \.cancellation.isCancelled)
            return cancelled
        }
    }
}

/// The thread of a lane.
///
/// An actor, because its caller resumes with a single wake-up; from a continuation, it would resume by way of
/// a thread of the global pool.
actor LaneThread {
    private let executor = QueueExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    nonisolated var queue: DispatchQueue { executor.queue }

    func run<Value: Sendable>(_ body: @Sendable () throws -> Value) throws -> Value { try body() }

    private final class QueueExecutor: SerialExecutor {
        let queue = DispatchQueue(label: "atrium.postgresql")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            // architecture: allow unowned-task, because a task waits for the job
            queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
