/// Which categories are listed, and in which order.
struct CategoryQuery: Hashable, Sendable {
    let sort: CategorySort
    /// How many are listed at most.
    let limit: Int

    static let defaultLimit = 50
    static let limits = 1...500

    init(sort: CategorySort = .name, limit: Int = defaultLimit) {
        self.sort = sort
        self.limit = limit
    }

    /// Every rule that the query breaks.
    func validate() -> [ValidationFinding] {
        ValidationFinding.checking("limit", limit, within: Self.limits)
    }
}
