@_spi(Host) package import AtriumKit
internal import Synchronization

/// A module's tables on a database server, reached through an engine that is loaded on first use.
package final class ServerDatabase: ManagedDatabase {
    private let open: @Sendable () async throws -> any ManagedDatabase
    private let isEngineLoaded: @Sendable () async -> Bool
    private let state = Mutex(State())

    private struct State {
        var database: (any ManagedDatabase)?
        var opening: Task<any ManagedDatabase, any Error>?
        var isStaged = false
        var isDiscarded = false
    }

    /// Describes the database; loads no engine.
    ///
    /// - Parameters:
    ///   - isEngineLoaded: Whether the engine is loaded already.
    ///   - open: Loads the engine; called again after a failure.
    package init(
        isEngineLoaded: @escaping @Sendable () async -> Bool,
        open: @escaping @Sendable () async throws -> any ManagedDatabase
    ) {
        self.isEngineLoaded = isEngineLoaded
        self.open = open
    }

    nonisolated(nonsending) package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await database().read(body)
    }

    nonisolated(nonsending) package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await database().write(body)
    }

    nonisolated(nonsending) package func answer(_ query: DatabaseQuery) async throws -> DatabaseAnswer {
        try await database().answer(query)
    }

    nonisolated(nonsending) package func close() async { await present?.close() }

    // MARK: - Changes of the module

    package func stage() {
        state.withLock { $0.isStaged = true }
        present?.stage()
    }

    package var isStaged: Bool { state.withLock { $0.isStaged } }

    /// Does nothing if the engine is not loaded: the first use migrates then.
    ///
    /// Loading the engine here would be a change within the present one, which would wait for itself.
    nonisolated(nonsending) package func prepare() async throws -> Int? {
        guard isStaged, await isEngineLoaded() else { return nil }
        return try await database().prepare()
    }

    package func flush() throws { try present?.flush() }

    package func publish() throws {
        try present?.publish()
        state.withLock { $0.isStaged = false }
    }

    package func discard() {
        state.withLock { $0.isDiscarded = true }
        present?.discard()
    }

    private var present: (any ManagedDatabase)? { state.withLock { $0.database } }

    /// The engine's database; concurrent callers share one load.
    private nonisolated(nonsending) func database() async throws -> any ManagedDatabase {
        if let present { return present }
        let task = state.withLock { state in
            if let opening = state.opening { return opening }
            let opening = Task { [open] in try await open() }
            state.opening = opening
            return opening
        }
        let result = await task.result
        return try state.withLock { state in
            state.opening = nil
            if let database = state.database { return database }
            let database = try result.get()
            if state.isStaged { database.stage() }
            if state.isDiscarded { database.discard() }
            state.database = database
            return database
        }
    }
}
