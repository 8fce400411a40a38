/// What a list of entities shows; exactly one of these at a time.
enum EntityListState: Hashable, Sendable {
    /// Nothing was asked for yet.
    case loading
    /// The first page could not be read.
    case failed(String)
    /// There is nothing to list.
    case empty(Emptiness)
    case content(EntityPage)

    /// Why there is nothing to list.
    enum Emptiness: Hashable, Sendable {
        /// No entity was created yet.
        case noEntities
        /// No entity passes the filters.
        case noMatches
        /// The list ends before the page; it has `total` entities on `pages` pages.
        case pastEnd(pages: Int, total: Int)
    }

    init(_ page: EntityPage) {
        if !page.rows.isEmpty {
            self = .content(page)
        } else if page.total > 0 {
            self = .empty(.pastEnd(pages: page.pages, total: page.total))
        } else {
            self = .empty(page.query.isFiltered ? .noMatches : .noEntities)
        }
    }
}
