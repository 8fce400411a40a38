import AtriumKit

/// When a session ends: for people also how long that is, for programs the moment.
struct SessionEnd: Displayable {
    let moment: Timestamp
    /// In words; nil where nobody knows.
    let left: String?

    var displayText: String { left.map { "\(moment.displayText), \($0)" } ?? moment.displayText }
    var json: JSONValue { moment.json }
}
