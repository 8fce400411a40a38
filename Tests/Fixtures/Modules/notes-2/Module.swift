import AtriumKit

/// Has a mark in version 2 of its database; its draft has a category, which older ones lack.
enum Build {
    static let version = "1.1.0"
    static let query = "SELECT text || ' done ' || done FROM notes"
    static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)"),
        Migration(2, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER NOT NULL DEFAULT 0"),
    ]
}

/// The saved state of the draft.
struct Draft: Codable {
    var text = ""
    var price = 1.0
    var category = ""
}
