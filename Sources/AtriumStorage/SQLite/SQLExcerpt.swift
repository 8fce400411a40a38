/// A statement's text in a message.
enum SQLExcerpt {
    /// How many characters of a statement a message shows.
    private static let limit = 160

    /// The text on one line, its end replaced by an ellipsis where it is long.
    static func of(_ sql: String) -> String {
        let line = sql.split { $0.isWhitespace || $0 == "\0" }.joined(separator: " ")
        return line.count > limit ? line.prefix(limit) + "…" : line
    }
}
