import AtriumKit
import Observation

@MainActor
@Observable
final class EntityDetailViewModel: ViewModel {
    private let record: EntityRecord

    init(id: Int, model: EntityModel) { record = EntityRecord(id: id, model: model) }

    /// The entity with the pending changes; nil before ``load()`` and after it was deleted.
    var entity: Entity? { record.row?.entity }

    var status: ChangeStatus? { record.row?.status }

    var asOf: Timestamp? { record.asOf }

    /// The last change of this entity, if it failed after its command was cancelled.
    var failure: FailedChange? {
        record.model.failure.flatMap { $0.wasAwaited || $0.entityID != record.id ? nil : $0 }
    }

    func load() async throws { try await record.load() }

    func refresh() async throws -> ActionResult {
        try await record.load(reloads: true)
        return .updated
    }

    func update(name: String?, category: String?, notes: String?) async throws -> ActionResult {
        try await update(EntityChanges(name: name, category: category, notes: notes))
    }

    func set(_ field: EntityField, to text: String) async throws -> ActionResult {
        try await update(EntityChanges(setting: field, to: text))
    }

    func delete() async throws -> ActionResult {
        let deleted = try await record.model.delete(record.id)
        return .leave("Deleted '\(deleted.name)'.", showing: EntityList())
    }

    private func update(_ changes: EntityChanges) async throws -> ActionResult {
        do {
            let updated = try await record.model.update(record.id, changes)
            return .updated("Updated '\(updated.name)'.")
        } catch let error where error.changeOutcome == .made {
            return await .made("Updated entity \(record.id).") { try await record.load(reloads: true) }
        }
    }
}
