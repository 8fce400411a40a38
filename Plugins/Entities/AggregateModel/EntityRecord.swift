import AtriumKit
import Observation

/// One entity as one screen shows it: what the service answered last, with the pending changes.
@MainActor
@Observable
final class EntityRecord {
    let id: Int
    /// The entity as the service answered it; nil before that, and after it was deleted.
    private var known: Entity?
    /// When it was last seen at the service, where that can't be asked.
    private(set) var asOf: Timestamp?

    @ObservationIgnored let model: EntityModel
    /// How many changes of the entity were answered.
    @ObservationIgnored private var changes = 0

    init(id: Int, model: EntityModel) {
        self.id = id
        self.model = model
        model.settled.add(self) { $0.apply($1) }
    }

    /// The entity with the pending changes; nil where it is not there, or about to be deleted.
    var row: EntityRow? {
        model.pending(of: id).reduce(known.map { EntityRow($0) }) { $0?.during($1) }
    }

    /// Reads the entity.
    ///
    /// - Parameter reloads: Whether the service is asked although the entity is kept.
    /// - Throws: Why it can't be read; it then stays as it is, unless it is gone.
    func load(reloads: Bool = false) async throws {
        let count = changes
        do {
            let found = try await model.repository.entity(id, reloads: reloads)
            // A change that was answered meanwhile is newer.
            if count == changes { (known, asOf) = (found.value, found.asOf) }
        } catch let error as EntityError where error == .notFound(id) {
            if count == changes { known = nil }
            throw error
        }
    }

    private func apply(_ settled: SettledChange) {
        switch settled.change {
        case .created(let entity) where entity.id == id, .updated(let entity) where entity.id == id:
            know(entity)
        case .deleted(let entity) where entity.id == id: know(nil)
        default: break
        }
    }

    private func know(_ entity: Entity?) {
        changes += 1
        (known, asOf) = (entity, nil)
    }
}
