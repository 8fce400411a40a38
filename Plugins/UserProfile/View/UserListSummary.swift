import AtriumKit

/// What of the directory is shown, below its rows: one line for people, a member for each part for programs.
struct UserListSummary: View {
    let query: UserQuery
    let total: Int
    let pageCount: Int
    let hasMore: Bool
    /// Whether there are rows; without any, a notice says why.
    let isShown: Bool

    var body: Content {
        hidden("page", query.page.json)
        Field("total", label: "", Line(displayText: isShown ? line : "", json: total.json))
        hidden("hasMore", hasMore.json)
        hidden("sort", query.sort.rawValue.json)
        if let search = query.filter.search { hidden("search", search.json) }
        if let status = query.filter.status { hidden("status", status.rawValue.json) }
    }

    private func hidden(_ key: String, _ value: JSONValue) -> Verbatim { Verbatim(key, [], value: value) }

    /// `3 active users with 'ada', page 1 of 1, by name`.
    private var line: String {
        let words = ["\(total)", query.filter.status?.rawValue, total == 1 ? "user" : "users"]
        var what = words.compactMap { $0 }.joined(separator: " ")
        if let search = query.filter.search { what += " with '\(search)'" }
        let order = query.sort == .name ? "by name" : "by name, descending"
        return "\(what), page \(query.page) of \(pageCount), \(order)"
    }

    /// A number that a sentence tells.
    private struct Line: Displayable {
        let displayText: String
        let json: JSONValue
    }
}
