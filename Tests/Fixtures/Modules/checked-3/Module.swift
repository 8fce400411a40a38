import AtriumKit

enum Build {
    static let version = "1.2.0"
    static let canBeSick = false
    static let migrations = [
        Migration(1, "create marks", sql: "CREATE TABLE marks (build TEXT NOT NULL)"),
        Migration(2, "add notes", sql: "ALTER TABLE marks ADD COLUMN note TEXT").backwardCompatible(),
        Migration(3, "drop notes", sql: "ALTER TABLE marks DROP COLUMN note"),
    ]
}
