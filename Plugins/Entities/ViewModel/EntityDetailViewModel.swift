import AtriumKit
import Observation

/// One entity, to see, to change and to delete.
@MainActor
@Observable
final class EntityDetailViewModel: ViewModel {
    private let record: EntityRecord

    init(id: Int, model: EntityModel) {
        record = EntityRecord(id: id, model: model)
    }

    /// The entity with the changes that are not answered yet; nil before ``load()`` and after it was deleted.
    var entity: Entity? { record.row?.entity }

    /// What is happening to the entity; nil where nothing is.
    var mark: PendingMark? { record.row?.mark }

    /// When the entity was last seen at the service, where that can't be asked now.
    var asOf: Timestamp? { record.asOf }

    /// Why the last change of this entity failed, where nobody waited for it any more.
    var failure: FailedChange? {
        record.model.failure.flatMap { $0.wasAwaited || $0.entityID != record.id ? nil : $0 }
    }

    func load() async throws {
        try await record.load()
    }

    /// Asks the service for the entity, whatever is kept.
    func refresh() async throws -> ActionResult {
        try await record.load(reloads: true)
        return .updated
    }

    /// Changes what is given; an empty category or notes removes them.
    ///
    /// - Throws: ``ValidationError`` with every rule that is broken; the entity stays as it is.
    func update(name: String?, category: String?, notes: String?) async throws -> ActionResult {
        try await update(EntityChanges(name: name, category: category, notes: notes))
    }

    /// Changes one field; an empty category or notes removes them.
    ///
    /// - Throws: ``ValidationError``; the entity stays as it is.
    func set(_ field: EntityField, to text: String) async throws -> ActionResult {
        try await update(EntityChanges(setting: field, to: text))
    }

    func delete() async throws -> ActionResult {
        let deleted = try await record.model.delete(record.id)
        return .leave("Deleted '\(deleted.name)'.", showing: EntityList())
    }

    private func update(_ changes: EntityChanges) async throws -> ActionResult {
        let updated = try await record.model.update(record.id, changes)
        return .updated("Updated '\(updated.name)'.")
    }
}
