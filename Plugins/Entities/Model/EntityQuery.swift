import AtriumKit

/// Which entities are listed, in which order, and which page of them.
struct EntityQuery: Codable, Hashable, Sendable {
    /// The page, from 1.
    var page: Int
    /// How many entities a page has.
    let size: Int
    let sort: EntitySort
    /// Only entities of this category, compared without regard to case; nil for all.
    let category: String?
    /// Only entities with this text in name, category or notes, compared without regard to case; nil
    /// for all.
    let search: String?

    /// How many entities a page has on a screen of 24 rows.
    static let defaultSize = 20
    static let sizes = 1...500
    /// Past every list; keeps the arithmetic within an integer.
    static let pages = 1...1_000_000_000
    /// The longest search text, in characters.
    static let maximumSearch = 200

    init(
        page: Int = 1, size: Int = defaultSize, sort: EntitySort = .name, category: String? = nil,
        search: String? = nil
    ) {
        self.page = page
        self.size = size
        self.sort = sort
        self.category = category?.trimmed.nilIfEmpty
        self.search = search?.trimmed.nilIfEmpty
    }

    /// How many entities come before the page.
    var offset: Int { (page - 1) * size }

    /// Whether not all entities are listed.
    var isFiltered: Bool { category != nil || search != nil }

    /// The query for another page.
    func onPage(_ page: Int) -> EntityQuery {
        var query = self
        query.page = page
        return query
    }

    /// The query in pages of another size, for the page on which the first entity of this one is; one that
    /// breaks a rule stays as it is.
    func inPages(of size: Int) -> EntityQuery {
        guard validate().isEmpty else { return self }
        let page = min(offset / size + 1, Self.pages.upperBound)
        return EntityQuery(page: page, size: size, sort: sort, category: category, search: search)
    }

    /// How many entities a page has where nobody says: as many as there is room for, below the headings and
    /// above what is told of the page; at least three.
    static func size(fitting viewport: Viewport) -> Int {
        min(max(3, viewport.rows - 4), sizes.upperBound)
    }

    /// Every rule that the query breaks.
    func validate() -> [ValidationFinding] {
        var findings = ValidationFinding.checking("page", page, within: Self.pages)
        findings += ValidationFinding.checking("size", size, within: Self.sizes)
        let searchRule = TextRule(subject: "The search text", maximum: Self.maximumSearch)
        findings += EntityField.category.findings(in: category ?? "")
        if let search {
            findings += searchRule.problems(of: search).map {
                ValidationFinding(field: "search", message: $0)
            }
        }
        return findings
    }
}
