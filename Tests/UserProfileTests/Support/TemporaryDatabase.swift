import AtriumKit
import AtriumStorage
import Foundation

@testable import UserProfile

/// The module's database in a folder that is removed with it.
final class TemporaryDatabase: Sendable {
    let database: SQLiteDatabase
    private let folder: URL

    @MainActor
    init() {
        folder = FileManager.default.temporaryDirectory.appending(path: "UserProfile-\(UUID().uuidString)")
        database = SQLiteDatabase(
            path: folder.appending(path: "module.sqlite").path(), owner: "UserProfile",
            migrations: UserProfileModule.migrations)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Every value of every row of a table, as text.
    func dump(_ table: String) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT * FROM \(table)", []) { row in
                try row.columns.indices.map { "\(try row.value($0, as: AnyValue.self).value)" }
                    .joined(separator: "|")
            }
        }
    }

    /// How many rows a table has.
    func count(_ table: String) async throws -> Int {
        try await dump(table).count
    }
}

/// Reads a column whatever its type is.
private struct AnyValue: DatabaseConvertible {
    static let databaseTypeName = "anything"
    let value: DatabaseValue

    init(databaseValue: DatabaseValue) {
        value = databaseValue
    }

    var databaseValue: DatabaseValue { value }
}
