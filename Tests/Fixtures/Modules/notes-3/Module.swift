import AtriumKit

/// Has a migration that fails if two notes are equal.
enum Build {
    static let version = "1.2.0"
    static let query = "SELECT text FROM notes"
    static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)"),
        Migration(2, "index texts", sql: "CREATE UNIQUE INDEX texts ON notes(text)"),
    ]
}

/// The saved state of the draft.
struct Draft: Codable {
    var text = ""
    var price = 1.0
}
