import AtriumKit

/// Starts with the entities of ``MockEntityData``; changes last as long as the process.
///
/// Scenario `edge` has different entities.
actor MockEntityService: EntityService {
    private let behavior: MockBehavior
    private let clock: any WallClock
    private var usual: MockEntityStore
    private var edge: MockEntityStore

    init(behavior: MockBehavior, clock: any WallClock, entities: [Entity]? = nil) {
        self.behavior = behavior
        self.clock = clock
        usual = MockEntityStore(entities ?? MockEntityData.usual)
        edge = MockEntityStore(entities ?? MockEntityData.edge)
    }

    private var store: MockEntityStore {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await play(
            "page",
            [
                "page": "\(query.page)", "size": "\(query.size)", "sort": query.sort.rawValue,
                "category": query.category, "search": query.search,
            ])
        return store.page(query)
    }

    func entity(_ id: Int) async throws -> Entity {
        try await play("entity", ["id": "\(id)"])
        return try store.entity(id)
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await play("categories", ["sort": query.sort.rawValue, "limit": "\(query.limit)"])
        return store.categories(query)
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        try await play("create", ["name": draft.name, "category": draft.category, "notes": draft.notes])
        return store.create(draft, at: clock.now())
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await play(
            "update",
            ["id": "\(id)", "name": changes.name, "category": changes.category, "notes": changes.notes])
        return try store.update(id, changes, at: clock.now())
    }

    func delete(_ id: Int) async throws -> Entity {
        try await play("delete", ["id": "\(id)"])
        return try store.delete(id)
    }

    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await play("importEntities", ["path": file.path, "format": file.format.rawValue])
        try await file.check()
        var imported = store
        let now = clock.now()
        let created = try file.forEachDraft(progress: progress) { _ = imported.create($0, at: now) }
        store = imported
        progress(created)
        return created
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await play("exportEntities", ["path": file.path, "format": file.format.rawValue])
        let entities = store.all
        var writer = try file.makeWriter()
        for (index, entity) in entities.enumerated() {
            try writer.write(entity, as: file.format)
            guard index.isMultiple(of: EntityFile.stride), index > 0 else { continue }
            try Task.checkCancellation()
            progress(index)
        }
        try Task.checkCancellation()
        try writer.finish()
        progress(entities.count)
        return entities.count
    }

    private func play(_ call: String, _ arguments: [String: String?]) async throws {
        let given = arguments.compactMapValues { $0 }
        try await behavior.play(call, given, failingWith: ServiceError.unavailable)
    }
}

struct MockEntityStore: Sendable {
    private var entities: [Int: Entity]
    private var lastID: Int

    init(_ entities: [Entity]) {
        self.entities = Dictionary(uniqueKeysWithValues: entities.map { ($0.id, $0) })
        lastID = entities.map(\.id).max() ?? 0
    }

    var all: [Entity] { entities.values.sorted { $0.id < $1.id } }

    func page(_ query: EntityQuery) -> EntityPage {
        let found = entities.values.filter(query.includes).sorted(by: query.sort.isInOrder)
        return EntityPage(
            query: query, rows: Array(found.dropFirst(query.offset).prefix(query.size)), total: found.count)
    }

    func entity(_ id: Int) throws -> Entity {
        guard let entity = entities[id] else { throw ServiceError.notFound(id) }
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
        let entity = draft.entity(id: lastID, at: moment)
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
