import AtriumKit

enum Build {
    static let version = "1.1.0"
    static let canBeSick = true
    static let migrations = [
        Migration(1, "create marks", sql: "CREATE TABLE marks (build TEXT NOT NULL)"),
        Migration(2, "add notes", sql: "ALTER TABLE marks ADD COLUMN note TEXT").backwardCompatible(),
    ]
}
