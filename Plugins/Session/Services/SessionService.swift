import AtriumKit

/// Keeps accounts, and which sessions are good.
protocol SessionService: Sendable {
    /// Creates an account and a session for it.
    ///
    /// - Throws: ``SessionError/emailTaken(_:)`` where an account has the email; it stays as it is.
    func signUp(_ credentials: Credentials) async throws -> SessionGrant

    /// Creates a session for the account of the credentials.
    ///
    /// - Throws: ``SessionError/invalidCredentials`` where they are wrong; takes as long then as otherwise.
    func signIn(_ credentials: Credentials) async throws -> SessionGrant

    /// Ends a session; one that is not known has ended already.
    func signOut(_ credential: SessionCredential) async throws

    /// Whether the session is known and has not ended.
    func isValid(_ credential: SessionCredential) async throws -> Bool
}
