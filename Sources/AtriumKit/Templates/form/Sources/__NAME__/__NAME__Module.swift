import AtriumKit

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = LocalBookingService.migrations

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any BookingService).self, live: .unavailable,
            local: { LocalBookingService(database: $0.database) },
            mock: { MockBookingService(behavior: $0.mock((any BookingService).self)) })
        registry.repository(BookingRepository.self) {
            BookingRepository(bookings: try $0.service(), analytics: $0.analytics)
        }
        registry.screen(__NAME__Destination.self) { context, _ in
            __NAME__ViewModel(bookings: try context.repository())
        } view: {
            __NAME__View(viewModel: $0)
        }
    }
}
