import AtriumKit

/// Keeps nothing: the services of environments mock and local can always be asked.
struct NoEntityCopy: EntityCopyService {
    func keep(_ page: EntityPage, of account: String?, at moment: Timestamp) async throws {}

    func keep(_ entity: Entity, of account: String?, at moment: Timestamp) async throws {}

    func keep(
        _ list: CategoryList, for query: CategoryQuery, of account: String?, at moment: Timestamp
    ) async throws {}

    func forget(_ id: Int, of account: String?) async throws {}

    func page(
        _ query: EntityQuery, of account: String?
    ) async throws -> (value: EntityPage, asOf: Timestamp)? { nil }

    func entity(_ id: Int, of account: String?) async throws -> (value: Entity, asOf: Timestamp)? { nil }

    func categories(
        _ query: CategoryQuery, of account: String?
    ) async throws -> (value: CategoryList, asOf: Timestamp)? { nil }
}
