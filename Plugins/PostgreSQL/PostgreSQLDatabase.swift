import AtriumKit
import Dispatch
import Synchronization

/// The tables of one module, in a schema of its own.
final class PostgreSQLDatabase: ManagedDatabase {
    private let migrator: Migrator
    private let pool: ConnectionPool
    private let attempts: Int
    private let state = Mutex(State())

    private struct State {
        /// Whether the tables are known to have the newest version.
        var isMigrated = false
        var staging = Staging.none
    }

    /// Whether the module belongs to a change that is not published yet.
    private enum Staging {
        case none
        /// The first use migrates in a transaction that stays open.
        case waiting
        /// Migrated in the open transaction of a lane, in which closures run as savepoints.
        case migrated(ConnectionPool.Lane, from: Int)
        case failed(any Error)
    }

    init(of module: String, migrator: Migrator, pool: ConnectionPool, attempts: Int) {
        self.migrator = migrator
        self.pool = pool
        self.attempts = attempts
    }

    private var explainer: Explainer { migrator.explainer }

    nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await run(.reading, body)
    }

    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await run(.writing, body)
    }

    nonisolated(nonsending) func close() async { pool.closeIdle() }

    private nonisolated(nonsending) func run<Value: Sendable>(
        _ kind: TransactionRunner.Kind, _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        if let lane = try await stagedLane() {
            return try await pool.run(on: lane) { [self] lane, cancellation in
                try runner(lane, cancellation).runNested(body)
            }
        }
        return try await pool.run { [self] lane, cancellation in
            let runner = runner(lane, cancellation)
            if !state.withLock({ $0.isMigrated }) {
                try runner.migrate()
                state.withLock { $0.isMigrated = true }
            }
            return try runner.run(kind, body)
        }
    }

    private func runner(_ lane: ConnectionPool.Lane, _ cancellation: Cancellation) -> TransactionRunner {
        TransactionRunner(
            pool: pool, lane: lane, migrator: migrator, cancellation: cancellation, attempts: attempts)
    }

    // MARK: - Changes of the module

    func stage() { state.withLock { $0.staging = .waiting } }

    var isStaged: Bool { state.withLock { if case .none = $0.staging { false } else { true } } }

    nonisolated(nonsending) func prepare() async throws -> Int? {
        guard try await stagedLane() != nil else { return nil }
        return state.withLock { state in
            guard case .migrated(_, let version) = state.staging, version < migrator.count else { return nil }
            return version
        }
    }

    func flush() throws {}

    /// Commits the open transaction; blocks until the server has answered.
    func publish() throws {
        let staging = state.withLock { $0.staging }
        switch staging {
        case .none, .waiting: break
        case .failed(let error): throw error
        case .migrated(let lane, _):
            defer { pool.release(lane) }
            do {
                try lane.queue.sync { _ = try lane.connection?.run("COMMIT") }
            } catch {
                lane.queue.sync { lane.connection = nil }
                let explained = (error as? ServerFailure).map { explainer.error($0) } ?? error
                state.withLock { $0.staging = .failed(explained) }
                throw explained
            }
            state.withLock { $0.isMigrated = true }
        }
        state.withLock { $0.staging = .none }
    }

    func discard() {
        let staging = state.withLock { state in
            defer { state.staging = .failed(explainer.discarded) }
            return state.staging
        }
        if case .migrated(let lane, _) = staging {
            // architecture: allow unowned-task, because the lane is not used before it has ended
            lane.queue.async { [pool] in
                _ = try? lane.connection?.run("ROLLBACK")
                pool.release(lane)
            }
        }
    }

    /// The lane whose open transaction has the migrations of a change; nil if the database belongs to none.
    private nonisolated(nonsending) func stagedLane() async throws -> ConnectionPool.Lane? {
        switch state.withLock({ $0.staging }) {
        case .none: return nil
        case .failed(let error): throw error
        case .migrated(let lane, _): return lane
        case .waiting: break
        }
        let lane = try await pool.acquire()
        do {
            let version = try await pool.run(on: lane) { [self] lane, cancellation in
                try runner(lane, cancellation).beginMigrated()
            }
            state.withLock { $0.staging = .migrated(lane, from: version) }
            return lane
        } catch {
            pool.release(lane)
            throw error
        }
    }
}
