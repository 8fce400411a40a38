import AtriumKit

/// The profile of the signed-in person: to see, to edit, and what they were told about it.
final class UserProfileModule: FeatureModule {
    static var migrations: [Migration] { ProfileQueries.migrations }

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any UserProfileService).self,
            live: .unavailable,
            local: { LocalUserProfileService(database: $0.database, clock: $0.clock) },
            mock: { MockUserProfileService(scenario: MockScenario($0.configuration)) })
        registry.service(
            (any AuthenticationService).self,
            live: .unavailable,
            local: { LocalAuthenticationService(clock: $0.clock) },
            mock: { MockAuthenticationService(scenario: MockScenario($0.configuration), clock: $0.clock) })
        registry.service(
            (any NotificationService).self,
            live: .unavailable,
            local: { LocalNotificationService(database: $0.database, clock: $0.clock) },
            mock: { MockNotificationService(scenario: MockScenario($0.configuration), clock: $0.clock) })
        registry.repository(UserProfileRepository.self) {
            UserProfileRepository(
                profiles: try $0.service(), authentication: try $0.service(),
                notifications: try $0.service(), session: $0.session, analytics: $0.analytics)
        }
        registry.contribute(to: .healthChecks) { context in
            let repository = try context.repository(UserProfileRepository.self)
            let session = context.session
            return HealthCheck("profile") {
                guard session.isSignedIn else { return "nobody is signed in" }
                return try await repository.profile().profile == nil ? "none yet" : "can be read"
            }
        }
        registerScreens(in: registry)
    }

    private func registerScreens(in registry: ModuleRegistry) {
        registry.viewModel(ProfileViewModel.self) {
            ProfileViewModel(repository: try $0.repository(), session: $0.session, navigator: $0.navigator)
        }
        registry.viewModel(ProfileEditViewModel.self) {
            ProfileEditViewModel(
                repository: try $0.repository(), session: $0.session, navigator: $0.navigator)
        }
        registry.viewModel(NotificationsViewModel.self) {
            NotificationsViewModel(repository: try $0.repository(), session: $0.session)
        }
        registry.screen(ProfileDestination.self) { ProfileView(viewModel: try $0.viewModel()) }
        registry.screen(ProfileEditDestination.self) { ProfileEditView(viewModel: try $0.viewModel()) }
        registry.screen(NotificationsDestination.self) { NotificationsView(viewModel: try $0.viewModel()) }
    }
}
