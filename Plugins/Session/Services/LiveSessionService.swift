import AtriumKit

/// Accounts and sessions at a server; the host's API client keeps the tokens.
///
/// A session's credential is the id of its tokens, which is not secret: the tokens never leave the client.
actor LiveSessionService: SessionService {
    nonisolated let hasServer = true
    private let api: any APIClient
    private let clock: any WallClock
    /// The replaced tokens, by id, until their session is ended.
    private var replaced: [String: AccessTokens] = [:]

    init(api: any APIClient, clock: any WallClock) { (self.api, self.clock) = (api, clock) }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        try await ServiceError.explaining(
            "The account could not be created", ifUnknown: "the account was created",
            hint: "session sign-in --email \(credentials.email)"
        ) {
            do {
                _ = try await api.request(.createUser(credentials))
            } catch let error as APIError where error.problem?.name == "email-taken" {
                throw ServiceError.emailTaken(credentials.email).because(of: error)
            } catch let error as APIError where error.status == 401 {
                throw ServiceError.hostRefused("The account could not be created", error)
            } catch let error as APIError where error.outcome == .made {
                // The account exists; its data are requested after the sign-in.
            }
        }
        do {
            return try await signIn(credentials)
        } catch {
            throw ServiceError.signUpUnfinished(credentials.email, cause: error)
        }
    }

    /// Obtains tokens and their user, and only then uses the tokens.
    ///
    /// After a failure the former tokens stay in use; the new ones are revoked, after a cancellation too.
    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        try await ServiceError.explaining("You could not be signed in") {
            let tokens: AccessTokens
            do {
                tokens = try await api.obtainTokens(
                    .password(username: credentials.email, password: credentials.password))
            } catch let error as APIError where error.code == .invalidGrant {
                throw ServiceError.invalidCredentials.because(of: error)
            } catch let error as APIError where error.status == 401 {
                throw ServiceError.hostRefused("You could not be signed in", error)
            }
            do {
                var user = try await api.request(.me(tokens))
                user.displayName = user.displayName?.nilIfEmpty
                let former = await api.tokens
                try await api.use(tokens)
                if let former, former.id != tokens.id { replaced[former.id] = former }
                return SessionGrant(user: user, credential: SessionCredential(of: tokens))
            } catch {
                await Task { [api] in try? await api.revoke(tokens) }.value
                throw error
            }
        }
    }

    func signOut(_ credential: SessionCredential) async throws {
        let current = await api.tokens.flatMap { $0.id == credential.token ? $0 : nil }
        guard let tokens = current ?? replaced[credential.token] else { return }
        try await ServiceError.explaining(
            "You could not be signed out", ifUnknown: "your session was ended", hint: "session sign-out"
        ) { try await api.revoke(tokens) }
        replaced[tokens.id] = nil
        if await api.tokens?.id == tokens.id { try await api.use(nil) }
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        try await ServiceError.explaining(
            "Your sessions could not be ended", ifUnknown: "your sessions were ended",
            hint: "session sessions"
        ) {
            try await api.requireTokens(of: credential, at: clock.now())
            _ = try await api.request(.endSessions)
        }
        if await api.tokens?.id == credential.token { try await api.use(nil) }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        try await ServiceError.explaining("Your session could not be checked") {
            try await api.accepts(credential, at: clock.now(), for: .me)
        }
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        try await ServiceError.explaining("Your sessions could not be listed") {
            try await api.requireTokens(of: credential, at: clock.now())
            return try await api.request(.sessions).rows
        }
    }

    func events() async -> SessionEvents? {
        await api.tokenEvents().compactMap { [api] event in
            switch event {
            case .ended(let id): .ended(token: id)
            case .refreshed: await api.tokens.map { .renewed(SessionCredential(of: $0)) }
            // Ignore events that later hosts may add.
            @unknown default: nil
            }
        }
    }

    func forget() async throws {
        replaced = [:]
        if await api.tokens != nil { try await api.use(nil) }
    }
}

// MARK: - The operations of the server's API on sessions

extension Endpoint where Answer == SessionUser {
    /// Creates an account; status 409 if the email already has one.
    static func createUser(_ credentials: Credentials) -> Self {
        let account = ["email": credentials.email, "password": credentials.password]
        return Endpoint(.post, "v1/users", body: .json(account), access: .anonymous)
    }

    /// The user of tokens that are not in use yet.
    static func me(_ tokens: AccessTokens) -> Self {
        Endpoint(.get, "v1/users/me", access: .explicit(tokens))
    }

    /// The signed-in user, requested from the server each time.
    static var me: Self {
        Endpoint(.get, "v1/users/me", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == APIPage<SessionRecord> {
    static var sessions: Self {
        Endpoint(.get, "v1/users/me/sessions", access: .required).with { $0.freshness = .none }
    }
}

extension Endpoint where Answer == NoAnswer {
    static var endSessions: Self { Endpoint(.delete, "v1/users/me/sessions", access: .required) }
}
