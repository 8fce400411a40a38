import AtriumKit

/// Keeps accounts, and which sessions are good.
protocol SessionService: Sendable {
    /// Creates an account and a session for it.
    ///
    /// - Throws: ``SessionError/emailTaken(_:)`` where an account has the email; it stays as it is.
    ///   ``SessionError/signUpUnfinished(_:cause:)`` where there is an account, but no session.
    func signUp(_ credentials: Credentials) async throws -> SessionGrant

    /// Creates a session for the account of the credentials.
    ///
    /// - Throws: ``SessionError/invalidCredentials`` where they are wrong; takes as long then as otherwise.
    func signIn(_ credentials: Credentials) async throws -> SessionGrant

    /// Ends a session; one that is not known has ended already.
    func signOut(_ credential: SessionCredential) async throws

    /// Ends every session of the credential's person, this one too.
    ///
    /// - Throws: ``SessionError/notAuthenticated`` where the session is not good; no session ends then.
    func signOutEverywhere(_ credential: SessionCredential) async throws

    /// Whether the session is known and has not ended.
    func isValid(_ credential: SessionCredential) async throws -> Bool

    /// The sessions of the credential's person that are good, the newest first.
    ///
    /// - Throws: ``SessionError/notAuthenticated`` where the session is not good.
    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord]

    /// What happens to sessions from now on, for one listener; nil where nothing can happen but what this
    /// process does.
    func events() async -> AsyncStream<SessionEvent>?

    /// Forgets what this process keeps to prove a session, without asking or telling anybody.
    func forget() async throws
}

extension SessionService {
    /// Nothing happens to sessions but what this process does.
    func events() async -> AsyncStream<SessionEvent>? { nil }

    /// Nothing is kept but the credential, which is the session's.
    func forget() async throws {}
}
