import AtriumKit

/// Which people are listed, in which order, and which page of them.
struct UserQuery: Codable, Hashable, Sendable {
    var filter = UserFilter.all
    var sort = UserSort.name
    /// The page, from 1.
    var page = 1
    /// How many people a page has.
    var size = defaultSize

    /// How many people a page has where nobody says.
    static let defaultSize = 20
    static let pages = 1...1_000_000_000
    /// The longest search text, in characters.
    static let maximumSearch = 200

    /// The same list at another page.
    func onPage(_ page: Int) -> UserQuery {
        var query = self
        query.page = page
        return query
    }

    /// Every rule that the query breaks, as sentences.
    var problems: [String] {
        let rule = TextRule(subject: "The search text", maximum: Self.maximumSearch)
        let problems = filter.search.map { rule.problems(of: $0) } ?? []
        guard !Self.pages.contains(page) else { return problems }
        return problems + ["The page must be from 1 to \(Self.pages.upperBound), not \(page)."]
    }

    /// The page of the people in `users` who are wanted, by the directory's own rule.
    func page(of users: some Sequence<DirectoryUser>) -> UserPage {
        let matching = users.filter(filter.matches).sorted(by: sort.isInOrder)
        return UserPage(
            rows: Array(matching.dropFirst((page - 1) * size).prefix(size)), total: matching.count,
            page: page, size: size)
    }
}

/// A page of the user directory.
struct UserPage: Codable, Hashable, Sendable {
    let rows: [DirectoryUser]
    /// How many people the whole list has.
    let total: Int
    /// The page, from 1.
    let page: Int
    let size: Int

    /// How many pages the whole list has; one where it is empty.
    var count: Int { max(1, (total + size - 1) / size) }

    /// Whether there are people after the page.
    var hasMore: Bool { page * size < total }
}
