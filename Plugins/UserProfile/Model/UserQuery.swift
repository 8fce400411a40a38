import AtriumKit

/// The filter of the users listed from the directory; nil parts exclude no one.
struct UserFilter: Codable, Hashable, Sendable {
    let search: String?
    let status: UserStatus?

    init(search: String? = nil, status: UserStatus? = nil) {
        self.search = search?.trimmed.nilIfEmpty
        self.status = status
    }

    static let all = UserFilter()

    func matches(_ user: DirectoryUser) -> Bool {
        if let status, user.status != status { return false }
        guard let search else { return true }
        // No match spans both fields, as searches contain no control characters.
        return Self.key("\(user.displayName ?? "")\u{1F}\(user.email ?? "")").utf8
            .contains(Self.key(search).utf8)
    }

    /// The form in which texts are compared: case is ignored, accents and normalization are not.
    static func key(_ text: String) -> String { text.lowercased() }
}

/// The orders in which users are listed; ties are broken by account.
enum UserSort: String, CaseIterable, Codable, Hashable, Sendable {
    case name
    case nameDescending = "-name"

    func isInOrder(_ left: DirectoryUser, _ right: DirectoryUser) -> Bool {
        let (first, second) = self == .name ? (left, right) : (right, left)
        let (key, other) = (UserFilter.key(first.name).utf8, UserFilter.key(second.name).utf8)
        return key.elementsEqual(other) ? first.id < second.id : key.lexicographicallyPrecedes(other)
    }
}

struct UserQuery: Codable, Hashable, Sendable {
    var filter = UserFilter.all
    var sort = UserSort.name
    /// The page, from 1.
    @PageNumber var page = 1
    @PageSize var size = defaultSize

    static let defaultSize = 20
    static let pages = 1...1_000_000_000
    /// The longest search text, in characters.
    static let maximumSearch = 200

    func onPage(_ page: Int) -> UserQuery {
        var query = self
        query.page = page
        return query
    }

    var problems: [String] {
        let rule = TextRule(subject: "The search text", maximum: Self.maximumSearch)
        let problems = filter.search.map { rule.problems(of: $0) } ?? []
        guard !Self.pages.contains(page) else { return problems }
        return problems + ["The page must be from 1 to \(Self.pages.upperBound), not \(page)."]
    }

    func page(of users: some Sequence<DirectoryUser>) -> UserPage {
        let matching = users.filter(filter.matches).sorted(by: sort.isInOrder)
        let offset = page.subtractingClamped(1).multipliedClamped(by: size)
        return UserPage(
            rows: Array(matching.dropFirst(offset).prefix(size)), total: matching.count,
            page: page, size: size)
    }
}

struct UserPage: Codable, Hashable, Sendable {
    let rows: [DirectoryUser]
    @RowCount private(set) var total: Int
    /// The page, from 1.
    @PageNumber private(set) var page: Int
    @PageSize private(set) var size: Int

    /// The number of pages of the whole list, at least one.
    var count: Int { max(1, (total + size - 1) / size) }
    var hasMore: Bool { page.multipliedClamped(by: size) < total }
}
