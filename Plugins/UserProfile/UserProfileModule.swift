import AtriumKit

/// The profile of the signed-in user, their notifications, and the directory of users.
final class UserProfileModule: FeatureModule {
    static var migrations: [Migration] { ProfileQueries.migrations }

    func register(in registry: ModuleRegistry) throws {
        registerServices(in: registry)
        registry.repository(UserProfileRepository.self) {
            UserProfileRepository(
                profiles: try $0.service(), authentication: try $0.service(),
                notifications: try $0.service(), offline: try $0.service(named: "profiles"),
                session: $0.session, clock: $0.clock, analytics: $0.analytics,
                changes: $0.changes(LocalUserProfileService.topic))
        }
        registry.repository(UserDirectoryRepository.self) {
            UserDirectoryRepository(
                directory: try $0.service(), profiles: try $0.service(),
                offline: try $0.service(named: "profiles"), session: $0.session, clock: $0.clock,
                changes: $0.changes(LocalUserProfileService.topic))
        }
        registry.useCase((any FindUsers).self) { FindUsersInDirectory(directory: try $0.repository()) }
        registry.contribute(to: .healthChecks) { context in
            let (session, repository) = (context.session, try context.repository(UserProfileRepository.self))
            return HealthCheck("profile") {
                guard session.isSignedIn else { return "nobody is signed in" }
                return try await repository.isSubmitted() ? "can be read" : "none yet"
            }
        }
        registerScreens(in: registry)
        registerStories(in: registry)
    }

    private func registerServices(in registry: ModuleRegistry) {
        registry.service(
            (any UserProfileService).self,
            live: { LiveUserProfileService(api: $0.api) },
            local: { LocalUserProfileService(database: $0.database, clock: $0.clock) },
            mock: { MockUserProfileService($0.mock((any UserProfileService).self)) })
        registry.service(
            (any AuthenticationService).self,
            live: { LiveAuthenticationService(api: $0.api, clock: $0.clock) },
            local: { LocalAuthenticationService(clock: $0.clock) },
            mock: {
                MockAuthenticationService(
                    behavior: $0.mock((any AuthenticationService).self), clock: $0.clock)
            })
        registry.service(
            (any NotificationService).self,
            live: { LiveNotificationService(api: $0.api) },
            local: { LocalNotificationService(database: $0.database, clock: $0.clock) },
            mock: { MockNotificationService($0.mock((any NotificationService).self), clock: $0.clock) })
        registry.service(
            OfflineStore.self, named: "profiles", live: { OfflineStore($0) }, local: { _ in .none },
            mock: { _ in .none })
    }

    private func registerStories(in registry: ModuleRegistry) {
        func story(
            _ name: String, _ destination: some Destination,
            _ scenario: MockScenario.Kind = .success, of account: String = "mock-ada"
        ) {
            registry.story(name, destination) {
                $0.signIn(id: account, email: "ada@example.com", displayName: "Ada Lovelace")
                $0.scenario = scenario
            }
        }
        story("profile", ProfileDestination())
        story("no profile", ProfileDestination(), of: "sample")
        story("profile failed", ProfileDestination(), .error)
        story("profile edge case", ProfileDestination(), .edge, of: "mock-edge-2")
        story("edit profile", ProfileEditDestination())
        story("notifications", NotificationsDestination())
        story("user", RecordDestination<DirectoryUser>(id: "mock-grace"))
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
        registry.viewModel(ProfilesViewModel.self) {
            ProfilesViewModel(find: try $0.useCase(), directory: try $0.repository())
        }
        registry.viewModel(UserViewModel.self) { (context, id: String) in
            UserViewModel(id: id, directory: try context.repository(), session: context.session)
        }
        registry.screen(ProfileDestination.self) { ProfileView(viewModel: try $0.viewModel()) }
        registry.screen(ProfileEditDestination.self) { ProfileEditView(viewModel: try $0.viewModel()) }
        registry.screen(NotificationsDestination.self) { NotificationsView(viewModel: try $0.viewModel()) }
        registry.records(
            DirectoryUser.self, live: .service { LiveUserDirectory(api: $0.api) },
            local: .service { LocalUserDirectory(database: $0.database) },
            mock: .samples(DirectoryUser.samples, edge: DirectoryUser.edgeSamples)
        ) {
            $0.keepsOffline = true
            $0.omitted = [.detail, .values]
            $0.addListActions(of: ProfilesViewModel.self) { [ProfileTable.action($0)] }
        }
        registry.screen(RecordDestination<DirectoryUser>.self) {
            UserView(viewModel: try $0.viewModel($0.destination.id))
        }
    }
}
