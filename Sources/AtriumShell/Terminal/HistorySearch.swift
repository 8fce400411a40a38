/// Ctrl-R: going back through the history by a part of a line.
struct HistorySearch: Equatable {
    /// The line that was being typed, for when the search is given up.
    let original: String
    private(set) var query = ""
    /// The line found last.
    private(set) var found: Int?
    /// Whether the query as it stands is found nowhere.
    private(set) var hasFailed = false

    init(original: String) {
        self.original = original
    }

    /// Looks for a longer text, from the line found last on.
    mutating func append(_ text: String, in history: CommandHistory) {
        query += text
        look(in: history, before: found.map { $0 + 1 } ?? history.lines.count)
    }

    /// Looks for a shorter text, from the newest line on.
    mutating func removeLast(in history: CommandHistory) {
        _ = query.popLast()
        found = nil
        hasFailed = false
        if !query.isEmpty { look(in: history, before: history.lines.count) }
    }

    /// Looks for the next older line.
    mutating func findOlder(in history: CommandHistory) {
        guard let found else { return look(in: history, before: history.lines.count) }
        look(in: history, before: found)
    }

    /// The line to show.
    func line(in history: CommandHistory) -> String {
        found.map { history.lines[$0] } ?? original
    }

    /// The prompt to show.
    var prompt: String {
        hasFailed ? "(not found: '\(query)') " : "(search: '\(query)') "
    }

    private mutating func look(in history: CommandHistory, before index: Int) {
        let match = history.match(query, before: index)
        hasFailed = match == nil && !query.isEmpty
        found = match ?? found
    }
}
