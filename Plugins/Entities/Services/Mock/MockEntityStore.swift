import AtriumKit

/// The entities of a mock service in one scenario.
struct MockEntityStore: Sendable {
    private var entities: [Int: Entity]
    private var lastID: Int

    init(_ entities: [Entity]) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) })
        lastID = entities.map(\.id).max() ?? 0
    }

    /// All of them, by id.
    var all: [Entity] { entities.values.sorted { $0.id < $1.id } }

    func page(_ query: EntityQuery) -> EntityPage {
        let found = entities.values.filter(query.includes).sorted(by: query.sort.isInOrder)
        return EntityPage(
            query: query, rows: Array(found.dropFirst(query.offset).prefix(query.size)), total: found.count)
    }

    func entity(_ id: Int) throws -> Entity {
        guard let entity = entities[id] else { throw EntityError.notFound(id) }
        return entity
    }

    func categories(_ query: CategoryQuery) -> CategoryList {
        let members = entities.values.filter { $0.category != nil }.sorted(by: EntitySort.oldest.isInOrder)
        // By scalars, as the database compares; equal strings may differ in normalization.
        let groups = Dictionary(grouping: members) { Array(SearchKey.of($0.category ?? "").unicodeScalars) }
        let byName = groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let ordered =
            switch query.sort {
            case .name: byName
            case .mostUsed:
                byName.enumerated().sorted { left, right in
                    (right.element.value.count, left.offset) < (left.element.value.count, right.offset)
                }.map(\.element)
            }
        let rows = ordered.prefix(query.limit).map { group in
            EntityCategory(name: group.value[0].category ?? "", count: group.value.count)
        }
        return CategoryList(rows: rows, total: groups.count)
    }

    mutating func create(_ draft: EntityDraft, at moment: Timestamp) -> Entity {
        lastID += 1
        let entity = Entity(
            id: lastID, name: draft.name, category: draft.category, notes: draft.notes, createdAt: moment,
            updatedAt: moment)
        entities[entity.id] = entity
        return entity
    }

    mutating func update(_ id: Int, _ changes: EntityChanges, at moment: Timestamp) throws -> Entity {
        var entity = changes.applied(to: try entity(id))
        entity.updatedAt = moment
        entities[id] = entity
        return entity
    }

    mutating func delete(_ id: Int) throws -> Entity {
        let entity = try entity(id)
        entities[id] = nil
        return entity
    }
}
