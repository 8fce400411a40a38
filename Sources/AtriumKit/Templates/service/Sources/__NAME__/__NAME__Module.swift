import AtriumKit

/// The function that other modules use, under the name `__LINK__.next`: returns the next number of a series.
///
/// Other modules can't use types of this one, so it is a function of standard types.
typealias NextNumber = @MainActor @Sendable (String) async throws -> Int

/// Registers what the module adds to the application.
final class __NAME__Module: FeatureModule {
    static let migrations = LocalNumberService.migrations

    func register(in registry: ModuleRegistry) {
        registry.service(
            (any NumberService).self, live: .unavailable,
            local: {
                LocalNumberService(database: $0.database, settings: try NumberSettings($0.configuration))
            },
            mock: {
                MockNumberService(
                    behavior: $0.mock((any NumberService).self),
                    settings: try NumberSettings($0.configuration))
            })
        registry.repository(NumberRepository.self) {
            NumberRepository(numbers: try $0.service(), logger: $0.logger)
        }
        registry.useCase(NextNumber.self, named: "__LINK__.next") { context in
            let numbers = try context.repository(NumberRepository.self)
            return { try await numbers.next(in: $0) }
        }
        registry.contribute(to: .healthChecks) { context in
            let numbers = try context.repository(NumberRepository.self)
            return HealthCheck("__LINK__") { "\(try await numbers.series().count) series" }
        }
        registry.viewModel(__NAME__ViewModel.self) { __NAME__ViewModel(numbers: try $0.repository()) }
        registry.screen(__NAME__Destination.self) { __NAME__View(viewModel: try $0.viewModel()) }
    }
}
