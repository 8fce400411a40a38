import AtriumKit

/// Has no migration 2.
enum Build {
    static let version = "1.3.0"
    static let query = "SELECT text FROM notes"
    static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)"),
        Migration(3, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER NOT NULL DEFAULT 0"),
    ]
}

/// The saved state of the draft.
struct Draft: Codable {
    var text = ""
    var price = 1.0
}
