import AtriumKit

protocol SessionService: Sendable {
    /// True if a session that is not valid was ended by a server.
    nonisolated var hasServer: Bool { get }

    /// Creates an account and a session for it; throws `signUpUnfinished` if only the account was created.
    func signUp(_ credentials: Credentials) async throws -> SessionGrant

    /// Creates a session; refuses credentials after the same time as a success.
    func signIn(_ credentials: Credentials) async throws -> SessionGrant

    /// Ends a session; does nothing for an unknown one.
    func signOut(_ credential: SessionCredential) async throws

    /// Ends every session of the credential's user, including this one, which has to be active.
    func signOutEverywhere(_ credential: SessionCredential) async throws

    func isValid(_ credential: SessionCredential) async throws -> Bool

    /// The active sessions of the credential's user, the newest first; this one has to be active.
    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord]

    /// The future events of sessions, for one listener; nil if only this process can change sessions.
    func events() async -> SessionEvents?

    /// Forgets the tokens of this process, without a request.
    func forget() async throws
}

typealias SessionEvents = any AsyncSequence<SessionEvent, Never> & Sendable

extension SessionService {
    nonisolated var hasServer: Bool { false }
    func events() async -> SessionEvents? { nil }
    func forget() async throws {}
}
