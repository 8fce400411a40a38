import AtriumKit

/// Signing up, signing in and signing out.
///
/// The host keeps the session between processes, as a browser keeps a cookie; this module's service, or the
/// server that it asks, keeps the accounts and which tokens are good.
final class SessionModule: FeatureModule {
    static var migrations: [Migration] { SessionQueries.migrations }
    var startCheck = StartCheck()

    func register(in registry: ModuleRegistry) throws {
        registry.service(
            (any SessionService).self,
            live: { LiveSessionService(api: $0.api, clock: $0.clock) },
            local: { LocalSessionService(database: $0.database, clock: $0.clock) },
            mock: { MockSessionService($0.mock((any SessionService).self), clock: $0.clock) })
        registry.repository(SessionRepository.self) {
            SessionRepository(
                service: try $0.service(), session: $0.session, clock: $0.clock, analytics: $0.analytics,
                logger: $0.logger)
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
        registry.contribute(to: .guards) { context in
            SignedInGuard.make(session: context.session, repository: context.repositoryProvider())
        }
    }

    /// Checks the session that an earlier process left, and follows what the service says of sessions.
    ///
    /// Nobody signed in, or a session whose time is over, leaves the database closed and the server unasked.
    func activate(_ context: borrowing ActivationContext) async throws {
        let repository = try context.repository(SessionRepository.self)
        if let events = await repository.serviceEvents() {
            context.run("session endings") { await repository.follow(events) }
        }
        // For a guest there is nothing to wait for: what was kept without a session is forgotten.
        guard context.session.isSignedIn else { return await repository.verifyStoredSession() }
        await startCheck.run(in: context) { await repository.verifyStoredSession() }
    }
}
