import AtriumKit

@testable import Session

/// Answers as it is told, and keeps what it was asked.
actor ScriptedSessionService: SessionService {
    private(set) var calls: [String] = []
    private var answer: Result<SessionGrant, any Error>
    private var signOutError: (any Error)?
    private var validity: Result<Bool, any Error>

    init(
        answer: Result<SessionGrant, any Error> = .failure(SessionError.unavailable),
        signOutError: (any Error)? = nil, validity: Result<Bool, any Error> = .success(true)
    ) {
        self.answer = answer
        self.signOutError = signOutError
        self.validity = validity
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        calls.append("signUp \(credentials.email)")
        return try answer.get()
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        calls.append("signIn \(credentials.email)")
        return try answer.get()
    }

    func signOut(_ credential: SessionCredential) async throws {
        calls.append("signOut \(credential.token)")
        if let signOutError { throw signOutError }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        calls.append("isValid \(credential.token)")
        return try validity.get()
    }
}

extension SessionGrant {
    /// What a service grants to Ada in tests.
    static let ada = SessionGrant(
        user: SessionUser(id: "a", email: "ada@example.com"),
        credential: SessionCredential(
            token: "new-token", expiresAt: Timestamp(microseconds: 1_769_817_600_000_000)))
}
