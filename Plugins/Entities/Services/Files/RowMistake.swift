/// What keeps one row of a file from being read.
struct RowMistake: Error {
    let finding: EntityFileFinding
    /// Whether nothing behind it can be read either.
    var isLast = false

    /// The most bytes of a row: room for the longest texts, each of their characters escaped.
    static let maximumBytes = 4 << 20

    static func tooLong(line: Int) -> RowMistake {
        RowMistake(
            finding: EntityFileFinding(
                line: line, message: "The row has more than 4 MiB; nothing behind it was read."),
            isLast: true)
    }
}
