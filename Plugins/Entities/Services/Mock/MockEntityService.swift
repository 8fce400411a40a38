import AtriumKit

/// Knows the entities of ``MockEntityData``; what changes is gone with the process.
///
/// Scenario `edge` has entities of its own: who switches to it and back finds the others as they were left.
actor MockEntityService: EntityService {
    private let behavior: MockBehavior
    private let clock: any WallClock
    private var usual: MockEntityStore
    private var edge: MockEntityStore

    /// Makes a service of its own data; `entities` in every scenario, where they are given.
    init(behavior: MockBehavior, clock: any WallClock, entities: [Entity]? = nil) {
        self.behavior = behavior
        self.clock = clock
        usual = MockEntityStore(entities ?? MockEntityData.usual)
        edge = MockEntityStore(entities ?? MockEntityData.edge)
    }

    private var isEdge: Bool { behavior.scenario.kind == .edge }

    /// What the scenario of the moment works on.
    private var store: MockEntityStore { isEdge ? edge : usual }

    private func change<Value>(_ body: (inout MockEntityStore) throws -> Value) rethrows -> Value {
        isEdge ? try body(&edge) : try body(&usual)
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        try await play("page", query.arguments)
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
        let now = clock.now()
        return change { $0.create(draft, at: now) }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        try await play(
            "update",
            ["id": "\(id)", "name": changes.name, "category": changes.category, "notes": changes.notes])
        let now = clock.now()
        return try change { try $0.update(id, changes, at: now) }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await play("delete", ["id": "\(id)"])
        return try change { try $0.delete(id) }
    }

    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await play("importEntities", ["path": file.path, "format": file.format.rawValue])
        try await file.check()
        var imported = store
        let (now, stride) = (clock.now(), EntityFile.stride)
        var created = 0
        _ = try file.forEachDraft { draft in
            _ = imported.create(draft, at: now)
            created += 1
            if created.isMultiple(of: stride) { progress(created) }
        }
        change { $0 = imported }
        progress(created)
        return created
    }

    func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await play("exportEntities", ["path": file.path, "format": file.format.rawValue])
        let entities = store.all
        var writer = try EntityFileWriter(file)
        for (index, entity) in entities.enumerated() {
            try writer.write(name: entity.name, category: entity.category, notes: entity.notes)
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
        try await behavior.play(call, given, failingWith: EntityError.unavailable)
    }
}

extension EntityQuery {
    /// The query as the calls of the mock show it: what is not asked for is left out.
    fileprivate var arguments: [String: String?] {
        [
            "page": "\(page)", "size": "\(size)", "sort": sort.rawValue, "category": category,
            "search": search,
        ]
    }
}
