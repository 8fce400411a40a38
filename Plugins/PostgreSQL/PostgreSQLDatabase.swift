@_spi(Host) import AtriumKit
import Dispatch
import Synchronization

/// The tables of one module, in its own schema.
final class PostgreSQLDatabase: ManagedDatabase {
    private let migrator: Migrator
    private let shared: SharedDatabase
    private let limits: Limits
    private let state = Mutex(State())

    private struct State {
        /// True if the tables are known to have the newest version.
        var isMigrated = false
        var staging = Staging.none
    }

    /// True if the module is part of a change that is not published yet.
    private enum Staging {
        case none
        /// The first use of the lane migrates in a transaction that stays open; closures run in it as
        /// savepoints. The lane is not in the pool, so that no change waits for another.
        case staged(ConnectionPool.Lane)
        case failed(any Error)
    }

    init(of module: String, migrator: Migrator, shared: SharedDatabase, limits: Limits) {
        self.migrator = migrator
        self.shared = shared
        self.limits = limits
    }

    private var explainer: Explainer { migrator.explainer }
    private var pool: ConnectionPool { shared.pool }

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

    nonisolated(nonsending) func answer(_ query: DatabaseQuery) async throws -> DatabaseAnswer {
        try await pool.run(on: ConnectionPool.Lane()) { [pool, migrator] lane, cancellation in
            // With the connection, locks and settings of the session go.
            defer { lane.connection = nil }
            do {
                let connection = try pool.connection(of: lane, cancellation)
                return try UserQuery(
                    query: query, migrator: migrator, connection: connection, cancellation: cancellation
                ).answer()
            } catch let failure as ServerFailure {
                throw migrator.explainer.error(failure)
            }
        }
    }

    private nonisolated(nonsending) func run<Value: Sendable>(
        _ kind: TransactionRunner.Kind, _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        if let value = try await runStaged({ try $0.runNested(kind, body) }) { return value }
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
            shared: shared, lane: lane, migrator: migrator, cancellation: cancellation, limits: limits)
    }

    // MARK: - Changes of the module

    func stage() { state.withLock { $0.staging = .staged(ConnectionPool.Lane()) } }

    var isStaged: Bool { state.withLock { if case .none = $0.staging { false } else { true } } }

    nonisolated(nonsending) func prepare() async throws -> Int? {
        let version = try await runStaged { $0.lane.migratedFrom }
        return version?.flatMap { $0 < migrator.count ? $0 : nil }
    }

    func flush() throws {}

    /// Commits the open transaction; blocks until the server has answered.
    func publish() throws {
        guard let lane = try stagedLane else { return }
        try lane.thread.queue.sync {
            defer { lane.connection = nil }
            do {
                if lane.migratedFrom != nil { try runner(lane, Cancellation()).commit() }
            } catch {
                state.withLock { $0.staging = .failed(error) }
                throw error
            }
            state.withLock { state in
                state.isMigrated = lane.migratedFrom != nil
                state.staging = .none
            }
        }
    }

    func discard() {
        let lane = try? stagedLane
        state.withLock { $0.staging = .failed(DatabaseError.discarded(of: explainer.owner)) }
        // architecture: allow unowned-task, because it only ends a connection, and with it the transaction
        lane?.thread.queue.async { lane?.connection = nil }
    }

    /// The lane of the change that the module is part of; nil if it is part of none.
    private var stagedLane: ConnectionPool.Lane? {
        get throws {
            switch state.withLock({ $0.staging }) {
            case .none: nil
            case .staged(let lane): lane
            case .failed(let error): throw error
            }
        }
    }

    /// Runs a closure in the open transaction of a change; nil if there is none any more.
    private nonisolated(nonsending) func runStaged<Value: Sendable>(
        _ body: @escaping @Sendable (TransactionRunner) throws -> Value
    ) async throws -> Value? {
        guard let lane = try stagedLane else { return nil }
        return try await pool.run(on: lane) { [self] lane, cancellation in
            guard try stagedLane === lane else { return nil }
            let runner = runner(lane, cancellation)
            if lane.migratedFrom == nil { lane.migratedFrom = try runner.beginMigrated() }
            return try body(runner)
        }
    }
}
