import AtriumKit

/// Signing up, signing in and signing out.
///
/// The host keeps the session between processes, like a browser's cookie; the service keeps the accounts, and
/// decides whether a session is active.
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
        registry.contribute(to: .guards) { context in
            SignedInGuard.make(session: context.session, repository: context.repositoryProvider())
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
        await startCheck.run(in: context) { await repository.verifyStoredSession() }
    }
}

/// Allows signed-in users, and redirects everyone else to the sign-in.
@MainActor
enum SignedInGuard {
    static func make(session: SessionState, repository: Provider<SessionRepository>) -> NavigationGuard {
        NavigationGuard(.signedIn, "Somebody is signed in") { _ in
            guard session.isSignedIn else { return redirect("You are not signed in.") }
            return try repository().hasExpired ? redirect("Your session has ended.") : .allow
        }
    }

    private static func redirect(_ reason: String) -> GuardVerdict {
        .redirect(to: SignInDestination.pattern.description, because: reason)
    }
}

/// The check of the last run's session: a start waits for it, up to a time limit.
///
/// If the server takes longer, the check continues in the background.
@MainActor
struct StartCheck {
    static let patience = Duration.milliseconds(500)
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Starts a check as a task of the module, and waits for it, up to the time limit.
    func run(in context: borrowing ActivationContext, _ check: @escaping @MainActor () async -> Void) async {
        let promise = Promise<Void>()
        context.run("session check") {
            await check()
            promise.settle(.success(()))
        }
        let clock = Task {
            try? await sleep(Self.patience)
            promise.settle(.success(()))
        }
        try? await promise.value()
        clock.cancel()
    }
}
