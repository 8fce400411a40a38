/// An entity as a screen shows it: with the changes that are not answered yet.
struct EntityRow: Identifiable, Hashable, Sendable {
    private(set) var entity: Entity
    /// What is happening to it; nil where nothing is.
    private(set) var mark: PendingMark?

    /// An entity as the service answered it.
    init(_ entity: Entity, mark: PendingMark? = nil) {
        self.entity = entity
        self.mark = mark
    }

    /// Below 0 for an entity that is being created.
    var id: Int { entity.id }

    /// The id that the service has given; nil for an entity that is being created.
    var knownID: Int? { id > 0 ? id : nil }

    /// The row while `change` is pending; nil where the change takes it away.
    func during(_ change: PendingChange) -> EntityRow? {
        switch (change.kind, change.policy) {
        case (.delete, .optimistic): nil
        case (.update(_, let changes), .optimistic):
            EntityRow(changes.applied(to: entity), mark: change.mark)
        default: EntityRow(entity, mark: change.mark)
        }
    }
}
