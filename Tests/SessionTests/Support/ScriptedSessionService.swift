import AtriumKit

@testable import Session

/// Returns scripted answers and records its calls.
actor ScriptedSessionService: SessionService {
    nonisolated let hasServer: Bool
    private(set) var calls: [String] = []
    /// The number of successful calls of `forget`.
    private(set) var forgotten = 0
    private var answer: Result<SessionGrant, any Error>
    private var signOutError: (any Error)?
    private var validity: Result<Bool, any Error>
    private let forgetError: (any Error)?
    private let stream: AsyncStream<SessionEvent>
    /// Runs after the service has ended a session and before it says so.
    private let afterEnding: @MainActor () async -> Void

    init(
        answer: Result<SessionGrant, any Error> = .failure(ServiceError.unavailable),
        signOutError: (any Error)? = nil, validity: Result<Bool, any Error> = .success(true),
        forgetError: (any Error)? = nil, events: [SessionEvent] = [],
        hasServer: Bool = false,
        afterEnding: @escaping @MainActor () async -> Void = {}
    ) {
        self.afterEnding = afterEnding
        self.hasServer = hasServer
        self.answer = answer
        self.signOutError = signOutError
        self.validity = validity
        self.forgetError = forgetError
        stream = AsyncStream { continuation in
            for event in events { continuation.yield(event) }
            continuation.finish()
        }
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
        await afterEnding()
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        calls.append("signOutEverywhere \(credential.token)")
        if let signOutError { throw signOutError }
        await afterEnding()
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        calls.append("isValid \(credential.token)")
        return try validity.get()
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        calls.append("sessions \(credential.token)")
        return []
    }

    func events() async -> SessionEvents? { stream }

    func forget() async throws {
        if let forgetError { throw forgetError }
        forgotten += 1
    }
}

extension SessionGrant {
    /// The session that services grant to Ada in tests.
    static let ada = SessionGrant(
        user: SessionUser(id: "a", email: "ada@example.com"),
        credential: SessionCredential(
            token: "new-token", expiresAt: Timestamp(microseconds: 1_769_817_600_000_000)))
}
