import AtriumKit

/// Browsing, searching and editing entities.
final class EntitiesModule: FeatureModule {
    static var migrations: [Migration] { EntityQueries.migrations }

    func register(in registry: ModuleRegistry) {
        registry.records(
            Entity.self,
            live: .resource("v1/entities", values: ["category": "v1/categories"], hasFiles: true),
            local: .service { LocalEntityService(database: $0.database, clock: $0.clock) },
            mock: .samples(MockEntityData.usual, edge: MockEntityData.edge)
        ) {
            $0.keepsOffline = true
        }
        registry.seed("demo") { context in
            let entities: RecordRepository<Entity> = try context.repository()
            for (name, category, notes) in Self.demo {
                _ = try await entities.create(Entity(name: name, category: category, notes: notes))
            }
        }
    }

    private static let demo: [(name: String, category: String?, notes: String?)] = [
        ("Blue lamp", "lighting", "Stands by the reading chair."),
        ("Desk lamp", "lighting", "Needs a new bulb (E14)."),
        ("Red chair", "seats", "The leg on the left is loose."),
        ("Oak table", "tables", "Seats six."),
        ("Bookshelf", "storage", "Five shelves, full."),
        ("Umbrella", nil, nil),
    ]
}
