/// Why a list of entities has nothing to show.
enum EntityListEmptiness: Hashable, Sendable {
    /// No entity was created yet.
    case noEntities
    /// No entity passes the filters.
    case noMatches
    /// The list ends before the page, with page `pages`.
    case pastEnd(pages: Int)

    /// Nil where the page has something to show.
    init?(_ page: EntityPage) {
        guard page.rows.isEmpty else { return nil }
        if page.total > 0 {
            self = .pastEnd(pages: page.pages)
        } else {
            self = page.query.isFiltered ? .noMatches : .noEntities
        }
    }
}
