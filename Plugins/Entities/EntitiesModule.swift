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
    }
}
