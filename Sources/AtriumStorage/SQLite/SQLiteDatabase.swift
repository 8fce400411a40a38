public import AtriumKit
internal import Dispatch
internal import Synchronization

/// A module's database in one SQLite file.
///
/// Closures run one after the other on one connection, in the order of the calls. The first one opens, creates
/// and migrates the file; after a failure the next one tries again.
public final class SQLiteDatabase: Database {
    private let queue: DispatchQueue
    private let worker: DatabaseWorker
    /// Held while the connection is used.
    private let gate = Gate()
    /// The number of closures on the queue.
    private let pending = Atomic(0)

    /// Describes the database; touches no file.
    ///
    /// - Parameters:
    ///   - path: The file. It is created with mode 0600, and the folders above it with 0700.
    ///   - owner: The name of the module.
    ///   - migrations: Create the tables.
    ///   - busyTimeout: How long a closure waits for other processes.
    /// - Precondition: The versions of the migrations are 1, 2, 3 and so on.
    public init(
        path: String, owner: String, migrations: [Migration], busyTimeout: Duration = .seconds(5)
    ) {
        queue = DispatchQueue(label: "atrium.database.\(owner)")
        worker = DatabaseWorker(
            DatabaseLocation(owner: owner, path: path), migrator: Migrator(migrations, of: owner),
            busyTimeout: busyTimeout)
    }

    deinit {
        // Closing may wait for the disk.
        let worker = worker
        queue.async { worker.close() }
    }

    nonisolated(nonsending) public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        if let value = try readAtOnce(body) { return value }
        return try await enqueue(.reading, body)
    }

    nonisolated(nonsending) public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await enqueue(.writing, body)
    }

    /// Closes the file after the closures on the queue.
    ///
    /// A later `read` or `write` opens the file again.
    nonisolated(nonsending) public func close() async {
        if pending.load(ordering: .acquiring) == 0, gate.enterIfFree({ worker.isOpen }) == false { return }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                gate.enter { worker.close() }
                continuation.resume()
            }
        }
    }

    /// Runs a short read on the caller's thread if the queue is empty: changing threads costs several times as much
    /// as the first page of a list.
    ///
    /// - Returns: Nil if the closure has to run on the queue.
    private func readAtOnce<Value: Sendable>(
        _ body: @Sendable (any DatabaseConnection) throws -> Value
    ) throws -> Value? {
        try Task.checkCancellation()
        guard pending.load(ordering: .acquiring) == 0 else { return nil }
        return try gate.enterIfFree { try worker.readBriefly(body) } ?? nil
    }

    private func enqueue<Value: Sendable>(
        _ kind: SQLiteHandle.TransactionKind,
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        let job = DatabaseJob<Value>()
        return try await withTaskCancellationHandler {
            // Without the capture the closure would run on another thread.
            _ = isolation
            return try await withCheckedThrowingContinuation { continuation in
                guard job.wait(continuation) else { return }
                pending.add(1, ordering: .acquiringAndReleasing)
                queue.async { [self] in
                    gate.enter { job.run { try worker.run(kind, $0, body) } }
                    pending.subtract(1, ordering: .acquiringAndReleasing)
                }
            }
        } onCancel: {
            job.cancel()
        }
    }
}
