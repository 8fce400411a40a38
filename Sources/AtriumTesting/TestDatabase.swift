@_spi(Host) public import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Synchronization

/// A module's database without a host, deleted with this object.
///
/// It is a SQLite file, or a schema on the PostgreSQL server whose URL is in `ATRIUM_TEST_DATABASE`.
///
/// ```swift
/// let database = try TestDatabase(NotesModule.self, version: 1)
/// try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('Milk')") }
/// try await database.migrate()
/// #expect(try await LocalNoteService(database: database).notes().map(\.text) == ["Milk"])
/// ```
public final class TestDatabase: Database {
    let owner: String
    let store: TestStore
    private let folder: String
    private let migrations: [Migration]
    private let state: Mutex<any ManagedDatabase>

    /// Creates a database, with all of the module's migrations or up to `version`; nothing is stored before
    /// first use.
    ///
    /// - Throws: If its folder can't be created.
    @MainActor
    public init(_ module: any FeatureModule.Type, version: Int? = nil) throws {
        let name = "\(module)"
        owner = name.hasSuffix("Module") ? String(name.dropLast(6)) : name
        folder = try Folder.makeTemporary("atrium-test")
        store = TestStore(of: owner, in: folder)
        migrations = module.migrations
        state = Mutex(store.database(of: owner, Array(migrations.prefix(version ?? .max))))
    }

    deinit {
        FileSystem.remove(folder)
        store.drop()
    }

    /// Runs the missing migrations, up to a version; all by default.
    public func migrate(to version: Int? = nil) async throws {
        let former = state.withLock { $0 }
        await former.close()
        let next = store.database(of: owner, Array(migrations.prefix(version ?? .max)))
        state.withLock { $0 = next }
        _ = try await self.version
    }

    /// The version of the tables: the number of migrations that have run.
    public var version: Int {
        get async throws {
            try await read { connection in
                let query =
                    switch connection.dialect {
                    case .postgresql: "SELECT count(*) FROM atrium_migrations"
                    default: "PRAGMA user_version"
                    }
                return try connection.first(query) { try $0.value(0, as: Int.self) } ?? 0
            }
        }
    }

    nonisolated(nonsending) public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value { try await state.withLock { $0 }.read(body) }

    @discardableResult
    nonisolated(nonsending) public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value { try await state.withLock { $0 }.write(body) }
}
