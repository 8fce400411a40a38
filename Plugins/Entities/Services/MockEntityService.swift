import AtriumKit

/// Knows the entities of ``MockEntityData``; what changes is gone with the process.
actor MockEntityService: EntityService {
    private let scenario: MockScenario
    private let clock: any WallClock
    private var entities: [Int: Entity]
    private var lastID: Int

    /// Makes a service of its own data; `entities` instead of the scenario's, where they are given.
    init(scenario: MockScenario = MockScenario(), clock: any WallClock, entities: [Entity]? = nil) {
        self.scenario = scenario
        self.clock = clock
        let known = entities ?? (scenario.kind == .edge ? MockEntityData.edge : MockEntityData.usual)
        self.entities = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0) })
        lastID = known.map(\.id).max() ?? 0
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await scenario.play(failingWith: EntityError.unavailable)
        let found = entities.values.filter(query.includes).sorted(by: query.sort.isInOrder)
        return EntityPage(
            query: query, rows: Array(found.dropFirst(query.offset).prefix(query.size)), total: found.count)
    }

    func entity(_ id: Int) async throws -> Entity {
        try await scenario.play(failingWith: EntityError.unavailable)
        return try present(id)
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await scenario.play(failingWith: EntityError.unavailable)
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

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await scenario.play(failingWith: EntityError.unavailable)
        lastID += 1
        let now = clock.now()
        let entity = Entity(
            id: lastID, name: draft.name, category: draft.category, notes: draft.notes, createdAt: now,
            updatedAt: now)
        entities[entity.id] = entity
        return entity
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await scenario.play(failingWith: EntityError.unavailable)
        var entity = changes.applied(to: try present(id))
        entity.updatedAt = clock.now()
        entities[id] = entity
        return entity
    }

    func delete(_ id: Int) async throws -> Entity {
        try await scenario.play(failingWith: EntityError.unavailable)
        let entity = try present(id)
        entities[id] = nil
        return entity
    }

    private func present(_ id: Int) throws -> Entity {
        guard let entity = entities[id] else { throw EntityError.notFound(id) }
        return entity
    }
}
