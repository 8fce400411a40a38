import AtriumKit

/// Signing up, signing in and signing out.
///
/// The host keeps the session between processes, like a browser's cookie; the service keeps the accounts, and
/// decides whether a session is active.
final class SessionModule: FeatureModule {
    static var migrations: [Migration] { LocalSessionService.migrations }

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any SessionService).self,
            live: { LiveSessionService(api: $0.api, clock: $0.clock) },
            local: { LocalSessionService(database: $0.database, clock: $0.clock) },
            mock: { MockSessionService($0.mock((any SessionService).self), clock: $0.clock) })
        registry.repository(SessionRepository.self) {
            SessionRepository(
                service: try $0.service(), session: $0.session, clock: $0.clock, analytics: $0.analytics,
                logger: $0.logger, changes: $0.changes(LocalSessionService.topic))
        }
        registry.viewModel(SessionViewModel.self) {
            SessionViewModel(repository: try $0.repository(), session: $0.session)
        }
        registry.viewModel(SignInViewModel.self) {
            SignInViewModel(repository: try $0.repository(), session: $0.session, navigator: $0.navigator)
        }
        registry.viewModel(SignUpViewModel.self) {
            SignUpViewModel(repository: try $0.repository(), session: $0.session, navigator: $0.navigator)
        }
        registry.screen(SessionDestination.self) { SessionView(viewModel: try $0.viewModel()) }
        registry.screen(SignInDestination.self) { SignInView(viewModel: try $0.viewModel()) }
        registry.screen(SignUpDestination.self) { SignUpView(viewModel: try $0.viewModel()) }
        registry.story("guest", SessionDestination())
        registry.story("signed in", SessionDestination()) { $0.signIn() }
        registry.story("sign in", SignInDestination())
        registry.story("sign in twice", SignInDestination()) { $0.signIn() }
        registry.story("sign up", SignUpDestination())
        registry.contribute(to: .guards) { context in
            let (session, repository) = (context.session, context.repositoryProvider(SessionRepository.self))
            let signIn = SignInDestination.pattern.description
            return NavigationGuard(.signedIn, "Somebody is signed in") { _ in
                guard session.isSignedIn else {
                    return .redirect(to: signIn, because: "You are not signed in.")
                }
                return try repository().hasExpired
                    ? .redirect(to: signIn, because: SessionEnding.expired.rawValue) : .allow
            }
        }
    }

    /// Checks the session of the last run, and follows the service's events.
    ///
    /// Uses neither the database nor the server if there is no session, or an expired one.
    func activate(_ context: borrowing ActivationContext) async throws {
        let repository = try context.repository(SessionRepository.self)
        if let events = await repository.serviceEvents() {
            context.run("session endings") { await repository.follow(events) }
        }
        // A guest has nothing to check; only leftover tokens are forgotten.
        guard context.session.isSignedIn else { return await repository.verifyStoredSession() }
        await context.run("session check", waitingAtMost: .milliseconds(500)) {
            await repository.verifyStoredSession()
        }
    }
}
