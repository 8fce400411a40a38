import AtriumKit

/// A line below the rows of a list that says which part of it is shown.
struct EntityListSummary: View {
    let query: EntityQuery
    /// The last page shown, if there is more than one.
    let furtherPage: Int?
    let total: Int
    let pageCount: Int
    let hasMore: Bool
    /// True if there are rows; otherwise a notice gives the reason.
    let isShown: Bool

    var body: Content {
        Summary(
            isShown ? sentence : nil,
            [
                "page": query.page, "lastPage": furtherPage, "size": query.size, "total": total,
                "hasMore": hasMore,
                "sort": query.sort.rawValue, "category": query.category, "search": query.search,
            ])
    }

    /// `3 entities in 'lighting' with 'lamp', page 1 of 1, by name`.
    private var sentence: String {
        var what = total == 1 ? "1 entity" : "\(total) entities"
        if let category = query.category { what += " in '\(category)'" }
        if let search = query.search { what += " with '\(search)'" }
        return [what, pages, order].joined(separator: ", ")
    }

    private var pages: String {
        furtherPage.map { "pages \(query.page) to \($0) of \(pageCount)" }
            ?? "page \(query.page) of \(pageCount)"
    }

    private var order: String {
        switch query.sort {
        case .name: "by name"
        case .nameDescending: "by name, descending"
        case .newest: "newest first"
        case .oldest: "oldest first"
        }
    }
}
