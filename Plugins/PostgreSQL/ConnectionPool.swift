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
    }

    private struct Waiting {
        let cancellation: Cancellation
        let run: @Sendable (Lane?) -> Void
    }

    init(_ url: String, _ limits: Limits) {
        self.url = url
        self.limits = limits
    }

    /// Runs a closure on a lane, in the order of the calls; a cancelled one that waits ends at once.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ body: @escaping @Sendable (Lane, Cancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(cancellation) { lane in
                    guard let lane else { return continuation.resume(throwing: CancellationError()) }
                    // architecture: allow unowned-task, because the caller waits for it, and can cancel it
                    lane.queue.async { [self] in
                        let result = Result { () throws -> Value in
                            try cancellation.check()
                            return try body(lane, cancellation)
                        }
                        release(lane)
                        continuation.resume(with: result)
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
            takeCancelled().forEach { $0.run(nil) }
        }
    }

    /// Runs a closure on a lane that is kept.
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
    nonisolated(nonsending) func acquire() async throws -> Lane {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(cancellation) { lane in
                    if let lane {
                        continuation.resume(returning: lane)
                    } else {
                        continuation.resume(throwing: CancellationError())
                    }
                }
            }
        } onCancel: {
            cancellation.cancel()
            takeCancelled().forEach { $0.run(nil) }
        }
    }

    /// The connection of a lane, made on the lane's thread.
    ///
    /// - Throws: ``ServerFailure``.
    func connection(of lane: Lane) throws -> ServerConnection {
        if let connection = lane.connection, connection.isAlive { return connection }
        let connection = try ServerConnection(url, limits)
        lane.connection = connection
        return connection
    }

    func release(_ lane: Lane) {
        let next = state.withLock { state -> Waiting? in
            guard !state.waiting.isEmpty else {
                state.free.append(lane)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.run(lane)
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

    private func enqueue(_ cancellation: Cancellation, _ run: @escaping @Sendable (Lane?) -> Void) {
        let lane = state.withLock { state -> Lane?? in
            if cancellation.isCancelled { return .some(nil) }
            if let lane = state.free.popLast() { return lane }
            if state.count < limits.connections {
                state.count += 1
                return Lane()
            }
            state.waiting.append(Waiting(cancellation: cancellation, run: run))
            return nil
        }
        if let lane { run(lane) }
    }

    private func takeCancelled() -> [Waiting] {
        state.withLock { state in
            let cancelled = state.waiting.filter(\.cancellation.isCancelled)
            state.waiting.removeAll(where: \.cancellation.isCancelled)
            return cancelled
        }
    }
}
