import AtriumKit

/// Lets through who is signed in, and sends everybody else to the sign-in.
@MainActor
enum SignedInGuard {
    /// The guard of a session; the repository, which knows whether its time is over, is asked only where
    /// somebody is signed in.
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
