import AtriumKit
import Dispatch
import Synchronization

/// The connections to one database: each runs one closure at a time, on its own thread.
final class ConnectionPool: Sendable {
    private let url: String
    private let limits: Limits
    private let state = Mutex(State())

    private struct State {
        var free: [Lane] = []
        var count = 0
        var waiting: [Waiting] = []
    }

    /// A thread, and its connection once there is one.
    // architecture: allow unchecked-sendable, because only closures on the thread use the connection
    final class Lane: @unchecked Sendable {
        let thread = LaneThread()
        var connection: ServerConnection?
        /// The schema version before the change of its open transaction; nil outside of a change.
        var migratedFrom: Int?
        /// The announcements of that transaction.
        var announcements: [Announcement] = []
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

    /// The connection of a lane, opened on the lane's thread.
    ///
    /// - Throws: ``ServerFailure``.
    func connection(of lane: Lane) throws -> ServerConnection {
        if let connection = lane.connection, connection.isAlive { return connection }
        let connection = try connect()
        lane.connection = connection
        return connection
    }

    /// Opens a connection outside the pool.
    ///
    /// - Throws: ``ServerFailure``.
    func connect() throws -> ServerConnection { try ServerConnection(url, limits) }

    private func release(_ lane: Lane) {
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.free.append(lane)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.caller.resume(returning: lane)
    }

    /// Closes the idle connections.
    func closeIdle() {
        let idle = state.withLock { state in
            defer {
                state.count -= state.free.count
                state.free = []
            }
            return state.free
        }
        for lane in idle {
            // architecture: allow unowned-task, because it only closes an idle connection
            lane.thread.queue.async { lane.connection = nil }
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
        return Lane()
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
