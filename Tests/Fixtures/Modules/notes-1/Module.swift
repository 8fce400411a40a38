import AtriumKit

/// The first build.
enum Build {
    static let version = "1.0.0"
    static let query = "SELECT text FROM notes"
    static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)")
    ]
}

/// The saved state of the draft.
struct Draft: Codable {
    var text = ""
    var price = 1.0
}
