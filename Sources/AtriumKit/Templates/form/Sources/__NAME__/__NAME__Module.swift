import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = Migration.records(Booking.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Booking.self, live: .unavailable, local: .table, mock: .samples([])) {
            $0.omitted = Set(RecordScreen.allCases)
        }
        registry.screen(__NAME__Destination.self) { context, _ in
            __NAME__ViewModel(bookings: try context.repository(), session: context.session)
        } view: {
            __NAME__View(viewModel: $0)
        }
    }
}
