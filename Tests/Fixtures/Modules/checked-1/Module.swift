import AtriumKit

enum Build {
    static let version = "1.0.0"
    static let canBeSick = false
    static let migrations = [Migration(1, "create marks", sql: "CREATE TABLE marks (build TEXT NOT NULL)")]
}
