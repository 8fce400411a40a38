import AtriumKit

/// Keeps nothing: the services of environments mock and local can always be asked.
struct NoEntityCopy: EntityCopyService {
    func keep(_ page: EntityPage) async throws {}
    func keep(_ entity: Entity) async throws {}
    func forget(_ id: Int) async throws {}
    func page(_ query: EntityQuery) async throws -> (page: EntityPage, asOf: Timestamp)? { nil }
    func entity(_ id: Int) async throws -> (entity: Entity, asOf: Timestamp)? { nil }
}
