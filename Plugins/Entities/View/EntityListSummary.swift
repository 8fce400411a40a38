import AtriumKit

/// What of a list is shown, below its rows: one line for people, a member for each part for programs.
struct EntityListSummary: View {
    let query: EntityQuery
    /// The last page that is shown, if there is more than one.
    let furtherPage: Int?
    let total: Int
    let pageCount: Int
    let hasMore: Bool
    /// Whether there are rows; without any, a notice says why.
    let isShown: Bool

    var body: Content {
        hidden("page", query.page.json)
        if let furtherPage { hidden("lastPage", furtherPage.json) }
        hidden("size", query.size.json)
        Field("total", label: "", Line(displayText: isShown ? line : "", json: total.json))
        hidden("hasMore", hasMore.json)
        hidden("sort", query.sort.rawValue.json)
        if let category = query.category { hidden("category", category.json) }
        if let search = query.search { hidden("search", search.json) }
    }

    private func hidden(_ key: String, _ value: JSONValue) -> Verbatim { Verbatim(key, [], value: value) }

    /// `3 entities in 'lighting' with 'lamp', page 1 of 1, by name`.
    private var line: String {
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

    /// A number that a sentence tells.
    private struct Line: Displayable {
        let displayText: String
        let json: JSONValue
    }
}
