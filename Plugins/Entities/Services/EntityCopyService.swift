import AtriumKit

/// The last known copy of what a remote service answered, for when it can't be asked.
///
/// What was answered to one account is known to nobody else; the account of a guest is nil.
protocol EntityCopyService: Sendable {
    /// Keeps a page as the service answered it, with the place of each entity in its list.
    func keep(_ page: EntityPage, of account: String?, at moment: Timestamp) async throws

    /// Keeps an entity as the service answered it.
    func keep(_ entity: Entity, of account: String?, at moment: Timestamp) async throws

    /// Keeps categories as the service answered a query for them.
    func keep(
        _ list: CategoryList, for query: CategoryQuery, of account: String?, at moment: Timestamp
    ) async throws

    /// Drops an entity that the service has no longer.
    func forget(_ id: Int, of account: String?) async throws

    /// A page as far as it is known.
    ///
    /// - Returns: The page, and when the oldest of what it was made from was last seen at the service; nil
    ///   where any part of it is not known.
    func page(_ query: EntityQuery, of account: String?) async throws -> (value: EntityPage, asOf: Timestamp)?

    /// An entity, and when it was last seen at the service; nil where it is not known.
    func entity(_ id: Int, of account: String?) async throws -> (value: Entity, asOf: Timestamp)?

    /// What was answered to a query for categories, and when; nil where it is not known.
    func categories(
        _ query: CategoryQuery, of account: String?
    ) async throws -> (value: CategoryList, asOf: Timestamp)?
}
