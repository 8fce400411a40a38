import AtriumKit

/// A line below the rows of the directory that says which part of it is shown.
struct UserListSummary: View {
    let query: UserQuery
    let total: Int
    let pageCount: Int
    let hasMore: Bool
    /// True if there are rows; otherwise a notice gives the reason.
    let isShown: Bool

    var body: Content {
        Summary(
            isShown ? sentence : nil,
            [
                "page": query.page, "total": total, "hasMore": hasMore, "sort": query.sort.rawValue,
                "search": query.filter.search, "status": query.filter.status?.rawValue,
            ])
    }

    /// `3 active users with 'ada', page 1 of 1, by name`.
    private var sentence: String {
        let words = ["\(total)", query.filter.status?.rawValue, total == 1 ? "user" : "users"]
        var what = words.compactMap { $0 }.joined(separator: " ")
        if let search = query.filter.search { what += " with '\(search)'" }
        let order = query.sort == .name ? "by name" : "by name, descending"
        return "\(what), page \(query.page) of \(pageCount), \(order)"
    }
}
