import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = Migration.records(Item.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Item.self, live: .unavailable, local: .table, mock: .samples(Item.samples)) {
            $0.rules = { _ in .items }
            $0.detailActions = ItemActions.of
        }
    }
}
