import AtriumKit
import Observation

/// One entity, to see, to change and to delete.
@MainActor
@Observable
final class EntityDetailViewModel: ViewModel {
    /// The entity; nil before ``load()`` and after it was deleted.
    private(set) var entity: Entity?

    private let id: Int
    private let repository: EntityRepository

    init(id: Int, repository: EntityRepository) {
        self.id = id
        self.repository = repository
    }

    func load() async throws {
        entity = try await repository.entity(id)
    }

    /// Changes what is given; an empty category or notes removes them.
    ///
    /// - Throws: ``ValidationError`` with every rule that is broken; the entity stays as it is.
    func update(name: String?, category: String?, notes: String?) async throws -> ActionResult {
        let changes = EntityChanges(name: name, category: category, notes: notes)
        try ValidationError.check(changes.validate())
        let updated = try await repository.update(id, changes)
        entity = updated
        return .updated("Updated '\(updated.name)'.")
    }

    func delete() async throws -> ActionResult {
        let deleted = try await repository.delete(id)
        entity = nil
        return .leave("Deleted '\(deleted.name)'.", showing: EntityList())
    }
}
