@_spi(Host) public import AtriumKit
internal import AtriumRuntime
internal import AtriumStorage
internal import Synchronization

/// A module's database in a SQLite file of its own, which is deleted with this object.
///
/// ```swift
/// let database = try TestDatabase(NotesModule.self, version: 1)
/// try await database.write { try $0.execute("INSERT INTO notes (text) VALUES ('Milk')") }
/// try await database.migrate()
/// #expect(try await LocalNoteService(database: database).notes().map(\.text) == ["Milk"])
/// ```
public final class TestDatabase: Database {
    let owner: String
    let path: String
    private let folder: String
    private let migrations: [Migration]
    private let state: Mutex<SQLiteDatabase>

    /// Describes a database, with all of the module's migrations or up to `version`; the first use makes it.
    ///
    /// - Throws: If there is no folder for it.
    @MainActor
    public init(_ module: any FeatureModule.Type, version: Int? = nil) throws {
        let name = "\(module)"
        owner = name.hasSuffix("Module") ? String(name.dropLast(6)) : name
        folder = try Folder.makeTemporary("atrium-test")
        path = "\(folder)/\(owner).sqlite"
        migrations = module.migrations
        state = Mutex(
            SQLiteDatabase(path: path, owner: owner, migrations: Array(migrations.prefix(version ?? .max))))
    }

    deinit { FileSystem.remove(folder) }

    /// Runs the missing migrations, up to a version; all by default.
    public func migrate(to version: Int? = nil) async throws {
        let former = state.withLock { $0 }
        await former.close()
        let next = SQLiteDatabase(
            path: path, owner: owner, migrations: Array(migrations.prefix(version ?? .max)))
        state.withLock { $0 = next }
        _ = try await self.version
    }

    /// The version of the tables: how many migrations have run.
    public var version: Int {
        get async throws {
            try await read { try $0.first("PRAGMA user_version") { try $0.value(0, as: Int.self) } ?? 0 }
        }
    }

    nonisolated(nonsending) public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value { try await state.withLock { $0 }.read(body) }

    nonisolated(nonsending) public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value { try await state.withLock { $0 }.write(body) }
}
