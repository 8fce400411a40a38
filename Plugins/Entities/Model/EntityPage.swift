/// One page of a list of entities.
struct EntityPage: Hashable, Sendable {
    /// What was asked for.
    let query: EntityQuery
    /// The entities of the page, in order.
    let rows: [Entity]
    /// How many entities the whole list has.
    let total: Int

    /// Whether there are entities after the page.
    var hasMore: Bool { query.offset + rows.count < total && !rows.isEmpty }

    /// How many pages the list has.
    var pages: Int { (total + query.size - 1) / query.size }
}
