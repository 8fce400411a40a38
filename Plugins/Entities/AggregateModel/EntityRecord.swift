import AtriumKit
import Observation

/// One entity as shown on one screen: the service's last answer, with the pending changes.
@MainActor
@Observable
final class EntityRecord {
    let id: Int
    private var answer: Entity?
    private(set) var asOf: Timestamp?

    @ObservationIgnored let model: EntityModel
    @ObservationIgnored private var changes = 0

    init(id: Int, model: EntityModel) {
        self.id = id
        self.model = model
        model.settled.add(self) { $0.apply($1) }
        model.repository.announced.reload(
            self, where: { !$1.isOwn && $0.answer != nil && $1.concerns("\($0.id)") }
        ) { try await $0.load() }
    }

    /// The entity with the pending changes; nil if it does not exist, or is being deleted.
    var row: EntityRow? {
        model.pending(of: id).reduce(answer.map { EntityRow($0) }) { $0?.during($1) }
    }

    func load(reloads: Bool = false) async throws {
        let count = changes
        do {
            let found = try await model.repository.entity(id, reloads: reloads)
            // A change answered meanwhile is newer.
            if count == changes { (answer, asOf) = (found.value, found.asOf) }
        } catch let error as ServiceError where error == .notFound(id) {
            if count == changes { answer = nil }
            throw error
        }
    }

    private func apply(_ settled: SettledChange) {
        switch settled.change {
        case .created(let entity) where entity.id == id, .updated(let entity) where entity.id == id:
            set(entity)
        case .deleted(let entity) where entity.id == id: set(nil)
        default: break
        }
    }

    private func set(_ entity: Entity?) {
        changes += 1
        (answer, asOf) = (entity, nil)
    }
}
