/// Why a list of entities has nothing to show.
enum EntityListEmptiness: Hashable, Sendable {
    /// No entity was created yet.
    case noEntities
    /// No entity passes the filters.
    case noMatches
    /// The list ends before the page, with page `pages`.
    case pastEnd(pages: Int)

    /// Nil where there is something to show, or nothing was read yet.
    @MainActor
    init?(_ listing: EntityListing) {
        guard let window = listing.window, listing.rows.isEmpty else { return nil }
        let (query, total) = (window.query, listing.total)
        if total == 0 {
            self = query.isFiltered ? .noMatches : .noEntities
        } else if query.offset >= total {
            self = .pastEnd(pages: (total + query.size - 1) / query.size)
        } else {
            // What was on the page is gone, and the next page moves up when the list is read again.
            return nil
        }
    }
}
