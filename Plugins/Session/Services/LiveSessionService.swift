import AtriumKit

/// Accounts and sessions at a server; the host's API client keeps the tokens.
///
/// A session's credential is the id of its tokens, which is not secret: the tokens never leave the client.
actor LiveSessionService: SessionService {
    private let api: any APIClient
    private let clock: any WallClock
    /// The replaced tokens, by id, until their session is ended.
    private var replaced: [String: AccessTokens] = [:]

    init(api: any APIClient, clock: any WallClock) {
        self.api = api
        self.clock = clock
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        try await ServiceError.explaining("The account could not be created") {
            do {
                _ = try await api.request(.createUser(credentials))
            } catch let error as APIError where error.isEmailTaken {
                throw ServiceError.emailTaken(credentials.email).because(of: error)
            } catch let error as APIError where error.outcome == .made {
                // The account exists; its data are requested after the sign-in.
            } catch let error as APIError where error.outcome == .unknown {
                throw ServiceError.unknownOutcome(
                    "the account was created", hint: "session sign-in --email \(credentials.email)",
                    cause: error)
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
    /// After a failure the former tokens stay in use, and the new ones are revoked.
    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        try await ServiceError.explaining("You could not be signed in") {
            let tokens = try await tokens(for: credentials)
            do {
                let user = try await api.request(.me(tokens)).sessionUser
                try await use(tokens)
                return SessionGrant(user: user, credential: credential(tokens))
            } catch {
                await revoke(tokens)
                throw error
            }
        }
    }

    func signOut(_ credential: SessionCredential) async throws {
        try await ServiceError.explaining("You could not be signed out") {
            if let tokens = await api.tokens, tokens.id == credential.token {
                try await end(tokens)
                try await forget(tokens.id)
            } else if let tokens = replaced[credential.token] {
                try await end(tokens)
                replaced[credential.token] = nil
            }
        }
    }

    private func end(_ tokens: AccessTokens) async throws {
        do { try await api.revoke(tokens) } catch  where error.mayHaveChanged {
            throw ServiceError.unknownOutcome(
                "your session was ended", hint: "session sign-out", cause: error)
        }
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        try await ServiceError.explaining("Your sessions could not be ended") {
            try await requireCurrent(credential)
            do {
                _ = try await api.request(.endSessions)
            } catch  where error.mayHaveChanged {
                throw ServiceError.unknownOutcome(
                    "your sessions were ended", hint: "session sessions", cause: error)
            }
            try await forget(credential.token)
        }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        do {
            return try await ServiceError.explaining("Your session could not be checked") {
                try await requireCurrent(credential)
                _ = try await api.request(.me)
                return true
            }
        } catch let error as ServiceError where error == .notAuthenticated {
            return false
        }
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        try await ServiceError.explaining("Your sessions could not be listed") {
            try await requireCurrent(credential)
            return try await api.request(.sessions).rows
        }
    }

    func events() async -> AsyncStream<SessionEvent>? {
        let tokenEvents = await api.tokenEvents()
        let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        let task = Task {
            for await event in tokenEvents {
                switch event {
                case .ended(let id): continuation.yield(.ended(token: id))
                case .refreshed:
                    if let tokens = await api.tokens { continuation.yield(.renewed(credential(tokens))) }
                // Ignore events that later hosts may add.
                @unknown default: break
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return events
    }

    func forget() async throws {
        replaced = [:]
        if await api.tokens != nil { try await api.use(nil) }
    }
}

// MARK: - Tokens

extension LiveSessionService {
    private func tokens(for credentials: Credentials) async throws -> AccessTokens {
        do {
            return try await api.obtainTokens(
                .password(username: credentials.email, password: credentials.password))
        } catch let error as APIError where error.code == .invalidGrant {
            throw ServiceError.invalidCredentials.because(of: error)
        }
    }

    private func use(_ tokens: AccessTokens) async throws {
        let former = await api.tokens
        try await api.use(tokens)
        if let former, former.id != tokens.id { replaced[former.id] = former }
    }

    /// Revokes unused tokens, even if the caller was cancelled; ignores failures.
    private func revoke(_ tokens: AccessTokens) async {
        let api = api
        await Task { try? await api.revoke(tokens) }.value
    }

    private func forget(_ id: String) async throws {
        if await api.tokens?.id == id { try await api.use(nil) }
    }

    /// Throws unless a credential belongs to the tokens in use and has not expired.
    private func requireCurrent(_ credential: SessionCredential) async throws {
        guard !credential.isExpired(at: clock.now()), await api.tokens?.id == credential.token else {
            throw ServiceError.notAuthenticated
        }
    }

    /// The credential of tokens; valid as long as they can be renewed, which not every server states.
    private func credential(_ tokens: AccessTokens) -> SessionCredential {
        let own = tokens.refreshToken == nil ? tokens.expiresAt : tokens.refreshExpiresAt
        return own.map { SessionCredential(token: tokens.id, expiresAt: $0) }
            ?? SessionCredential(token: tokens.id)
    }
}
