import AtriumKit

/// The filter, order and page of a list of entities.
struct EntityQuery: Codable, Hashable, Sendable {
    /// The page, from 1.
    @PageNumber var page: Int
    @PageSize private(set) var size: Int
    let sort: EntitySort
    /// Only entities of this category, in any case; nil for all.
    let category: String?
    /// Only entities with this text in name, category or notes, in any case; nil for all.
    let search: String?
    static let defaultSize = 20
    static let sizes = 1...500
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

    var offset: Int { page.subtractingClamped(1).multipliedClamped(by: size) }
    var isFiltered: Bool { category != nil || search != nil }

    func onPage(_ page: Int) -> EntityQuery {
        var query = self
        query.page = page
        return query
    }

    /// The query with another page size, for the page that contains this one's first entity; an invalid query
    /// is returned unchanged.
    func inPages(of size: Int) -> EntityQuery {
        guard validate().isEmpty else { return self }
        let page = min(offset / size + 1, Self.pages.upperBound)
        return EntityQuery(page: page, size: size, sort: sort, category: category, search: search)
    }

    /// The default page size: as many entities as fit between the headings and the fields below, at least
    /// one.
    static func size(fitting viewport: Viewport) -> Int {
        // If the columns don't fit side by side, an entity takes five lines, one per value, and a blank one.
        let height = viewport.columns < 40 ? 6 : 1
        return min(max(1, (viewport.rows - 4) / height), sizes.upperBound)
    }

    func validate() -> [ValidationFinding] {
        var findings = ValidationFinding.checking("page", page, within: Self.pages)
        findings += ValidationFinding.checking("size", size, within: Self.sizes)
        findings += EntityField.category.findings(in: category ?? "")
        if let search {
            let rule = TextRule(subject: "The search text", maximum: Self.maximumSearch)
            findings += rule.problems(of: search).map { ValidationFinding($0, field: "search") }
        }
        return findings
    }

    func includes(_ entity: Entity) -> Bool {
        // By bytes, as the database compares; `==` would compare normalized texts.
        if let category, !SearchKey.of(category).utf8.elementsEqual(SearchKey.of(entity.category ?? "").utf8)
        {
            return false
        }
        return search.map { entity.searchKey.utf8.contains(SearchKey.of($0).utf8) } ?? true
    }
}

/// The orders in which entities are listed.
///
/// Names are compared by ``SearchKey``, scalar by scalar. Ties are broken by id, so that pages have no gaps;
/// a descending order is the ascending one reversed.
enum EntitySort: String, CaseIterable, Hashable, Sendable, Codable {
    case name
    case nameDescending = "-name"
    case newest
    case oldest

    func isInOrder(_ left: Entity, _ right: Entity) -> Bool {
        switch self {
        case .name: Self.isNameAscending(left, right)
        case .nameDescending: Self.isNameAscending(right, left)
        case .oldest: (left.createdAt, left.id) < (right.createdAt, right.id)
        case .newest: (right.createdAt, right.id) < (left.createdAt, left.id)
        }
    }

    private static func isNameAscending(_ left: Entity, _ right: Entity) -> Bool {
        let (leftKey, rightKey) = (SearchKey.of(left.name).utf8, SearchKey.of(right.name).utf8)
        return leftKey.elementsEqual(rightKey)
            ? left.id < right.id : leftKey.lexicographicallyPrecedes(rightKey)
    }
}

struct CategoryQuery: Codable, Hashable, Sendable {
    let sort: CategorySort
    @PageSize private(set) var limit: Int

    static let defaultLimit = 50
    static let limits = 1...500

    init(sort: CategorySort = .name, limit: Int = defaultLimit) {
        self.sort = sort
        self.limit = limit
    }

    func validate() -> [ValidationFinding] {
        ValidationFinding.checking("limit", limit, within: Self.limits)
    }
}

/// The orders in which categories are listed; names are compared by ``SearchKey``.
enum CategorySort: String, CaseIterable, Hashable, Sendable, Codable {
    case name
    case mostUsed = "most-used"
}
