package import AtriumKit
package import AtriumStorage
import Foundation

/// A module's database in a temporary folder, which is deleted with it.
package final class TemporaryDatabase: Sendable {
    package let database: SQLiteDatabase
    private let folder: URL

    package init(owner: String, migrations: [Migration]) {
        folder = FileManager.default.temporaryDirectory.appending(path: "\(owner)-\(UUID().uuidString)")
        database = SQLiteDatabase(
            path: folder.appending(path: "module.sqlite").path(percentEncoded: false), owner: owner,
            migrations: migrations)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// The rows of a table as text, with all of their values.
    package func dump(_ table: String) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT * FROM \(table)", []) { row in
                try row.columns.indices.map { "\(try row.value($0, as: AnyValue.self).value)" }
                    .joined(separator: "|")
            }
        }
    }

    /// The number of rows of a table.
    package func count(_ table: String) async throws -> Int {
        try await dump(table).count
    }
}

/// Reads a column of any type.
private struct AnyValue: DatabaseConvertible {
    static let databaseTypeName = "anything"
    let value: DatabaseValue

    init(databaseValue: DatabaseValue) {
        value = databaseValue
    }

    var databaseValue: DatabaseValue { value }
}
