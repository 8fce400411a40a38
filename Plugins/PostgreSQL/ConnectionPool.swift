import AtriumKit
import Dispatch
import Synchronization

/// The connections to one database: each runs one closure at a time, on a thread of its own.
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
    // architecture: allow unchecked-sendable, because only closures on the queue use the connection
    final class Lane: @unchecked Sendable {
        let queue = DispatchQueue(label: "atrium.postgresql")
        var connection: ServerConnection?
        /// The version of the tables before the change to which its open transaction belongs; nil if it is in none.
        var migratedFrom: Int?
        /// What that transaction announces.
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

    /// Runs a closure on a lane, in the order of the calls; a cancelled one that waits ends at once.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ body: @escaping @Sendable (Lane, Cancellation) throws -> Value
    ) async throws -> Value {
        let lane = try await acquire()
        defer { release(lane) }
        return try await run(on: lane) { lane, cancellation in
            // What was ended in the middle is not for the next closure.
            defer { if lane.connection?.isInTransaction == true { lane.connection = nil } }
            return try body(lane, cancellation)
        }
    }

    /// Runs a closure on a lane that the caller has.
    nonisolated(nonsending) func run<Value: Sendable>(
        on lane: Lane, _ body: @escaping @Sendable (Lane, Cancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // architecture: allow unowned-task, because the caller waits for it, and can cancel it
                lane.queue.async {
                    continuation.resume(
                        with: Result { () throws -> Value in
                            try cancellation.check()
                            return try body(lane, cancellation)
                        })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Keeps a lane until ``release(_:)``; blocks the caller only for the bookkeeping.
    private nonisolated(nonsending) func acquire() async throws -> Lane {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                enqueue(Waiting(cancellation: cancellation, caller: $0))
            }
        } onCancel: {
            cancellation.cancel()
            for waiting in takeCancelled() { waiting.caller.resume(throwing: CancellationError()) }
        }
    }

    /// The connection of a lane, made on the lane's thread.
    ///
    /// - Throws: ``ServerFailure``.
    func connection(of lane: Lane) throws -> ServerConnection {
        if let connection = lane.connection, connection.isAlive { return connection }
        let connection = try connect()
        lane.connection = connection
        return connection
    }

    /// A connection that is none of the pool's.
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

    /// Closes the connections that nobody uses.
    func closeIdle() {
        let idle = state.withLock { state in
            defer {
                state.count -= state.free.count
                state.free = []
            }
            return state.free
        }
        for lane in idle {
            // architecture: allow unowned-task, because it only closes a connection that nobody uses
            lane.queue.async { lane.connection = nil }
        }
    }

    private func enqueue(_ waiting: Waiting) {
        let lane = state.withLock { state -> Lane? in
            if let lane = state.free.popLast() { return lane }
            if state.count < limits.connections {
                state.count += 1
                return Lane()
            }
            state.waiting.append(waiting)
            return nil
        }
        if let lane { return waiting.caller.resume(returning: lane) }
        // The cancellation may have come before the caller was among those that wait.
        guard waiting.cancellation.isCancelled else { return }
        for waiting in takeCancelled() { waiting.caller.resume(throwing: CancellationError()) }
    }

    private func takeCancelled() -> [Waiting] {
        state.withLock { state in
            let cancelled = state.waiting.filter(\.cancellation.isCancelled)
            state.waiting.removeAll(where: \.cancellation.isCancelled)
            return cancelled
        }
    }
}
