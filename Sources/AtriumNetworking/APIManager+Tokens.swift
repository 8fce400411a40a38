@_spi(Host) package import AtriumKit

extension APIManager {
    package var tokens: AccessTokens? {
        loadTokens()
        return currentTokens.tokens
    }

    package func use(_ tokens: AccessTokens?) throws {
        loadTokens()
        if let tokens { try store.save(tokens) } else { try store.clear() }
        isStoreBehind = false
        install(tokens, areNew: false)
        clearCache()
    }

    package func tokenEvents() -> AsyncStream<TokenEvent> {
        let (stream, continuation) = AsyncStream<TokenEvent>.makeStream()
        listeners.append(continuation)
        return stream
    }

    private func send(_ event: TokenEvent) {
        listeners.removeAll { if case .terminated = $0.yield(event) { true } else { false } }
    }

    /// Reads the stored tokens, once; if that fails, nobody is signed in.
    func loadTokens() {
        guard !hasLoaded else { return }
        hasLoaded = true
        do {
            install(try store.load(), areNew: false)
        } catch {
            logger?.warning("The stored sign-in can't be read, so nobody is signed in.")
        }
    }

    private func install(_ tokens: AccessTokens?, areNew: Bool) {
        currentTokens.install(tokens, now: clock.now(), areNew: areNew)
        guard let tokens else { return }
        recentSecrets.insert(contentsOf: tokens.secrets, at: 0)
        recentSecrets.removeLast(max(0, recentSecrets.count - 8))
    }

    private func clearCache() {
        cache.removeAll()
        changes += 1
    }

    /// Returns a redactor for texts of others about a call.
    func redactor(_ plan: RequestPlan) -> Redactor {
        var secrets = plan.secrets + recentSecrets
        if case .json = plan.call.body, case .bytes(let bytes) = plan.request.body {
            secrets += SecretMembers.values(in: bytes)
        }
        if case .explicit(let tokens) = plan.call.access { secrets += tokens.secrets }
        return Redactor(secrets)
    }

    // MARK: - Attempts

    /// The authorization of the next attempt.
    ///
    /// - Throws: ``APIError`` if the call can't be sent.
    func authorization(_ exchange: Exchange) throws -> Authorization {
        try authorization(exchange.plan, exchange.authorization.authState)
    }

    private func authorization(_ plan: RequestPlan, _ state: AuthState) throws -> Authorization {
        var state = state
        return authorization(try decide(plan, &state), state)
    }

    /// Decides which token a call gets, or that it waits for a refresh.
    func decide(_ plan: RequestPlan, _ state: inout AuthState) throws(APIError) -> CurrentTokens.Decision {
        do {
            return try currentTokens.decide(&state, now: clock.now())
        } catch {
            throw APIErrors.failure(error, plan.name)
        }
    }

    func authorization(_ decision: CurrentTokens.Decision, _ state: AuthState) -> Authorization {
        switch decision {
        case .send(let token):
            return Authorization(state, token: .access(token), transport: transport)
        case .refresh(let tokens):
            let (promise, ticket) = joinRefresh(of: tokens)
            return Authorization(state, token: .refreshing(promise, ticket: ticket), transport: transport)
        }
    }

    /// The authorization of the next attempt after the server refused the last one; nil if there is none.
    ///
    /// - Throws: ``APIError`` if the sign-in has ended.
    func authorizationAfterRefusal(_ exchange: Exchange, _ cause: APIError) throws -> Authorization? {
        var state = exchange.authorization.authState
        switch currentTokens.didRefuse(&state) {
        case .retry: return try authorization(exchange.plan, state)
        case .fail: return nil
        case .endSignIn:
            if let refused = currentTokens.tokens, adoptStored(insteadOf: refused) {
                return try authorization(exchange.plan, state)
            }
            throw endSignIn(cause: cause)
        }
    }

    // MARK: - Refresh

    /// Joins the refresh of tokens, and begins it if none is in flight.
    ///
    /// A refresh is never cancelled: a server that rotates refresh tokens may have spent the old one.
    private func joinRefresh(of tokens: AccessTokens) -> (promise: Promise<Void>, ticket: Int) {
        let spent = tokens.refreshToken ?? ""
        if let promise = refreshes[spent], let ticket = promise.join() { return (promise, ticket) }
        let promise = Promise<Void>()
        refreshes[spent] = promise
        guard let ticket = promise.join() else { preconditionFailure("A new promise takes callers.") }
        promise.begin { try await self.refresh(tokens) }
        return (promise, ticket)
    }

    private func refresh(_ spent: AccessTokens) async throws {
        defer { refreshes[spent.refreshToken ?? ""] = nil }
        guard currentTokens.isCurrent(spent), !adoptStored(insteadOf: spent) else { return }
        do {
            let fresh = try await refreshed(spent)
            // A late answer does not sign in a person who has signed out meanwhile.
            guard currentTokens.isCurrent(spent) else { return }
            save(fresh, replacing: spent)
            install(fresh, areNew: true)
            recorder.refreshes += 1
            logger?.info("The sign-in was renewed.")
            send(.refreshed)
        } catch {
            recorder.failedRefreshes += 1
            guard currentTokens.isCurrent(spent) else { return }
            let error = error as? APIError ?? APIErrors.ended(cause: nil)
            guard error.code == .invalidGrant else { throw APIErrors.notRefreshed(error) }
            // Another process may have spent the same refresh token and stored new ones.
            guard !adoptStored(insteadOf: spent) else { return }
            throw endSignIn(cause: error)
        }
    }

    /// Removes tokens that the server refuses for good.
    ///
    /// - Returns: The error for the call that used them.
    private func endSignIn(cause: APIError) -> APIError {
        guard let ended = currentTokens.tokens else { return APIErrors.ended(cause: cause) }
        do {
            // What was saved meanwhile is not what the server refused.
            let stored = try store.load()
            if let stored, stored.id == ended.id, isStoreBehind || stored.isSame(as: ended) {
                try store.clear()
            }
        } catch {
            logger?.warning("The stored sign-in, which has ended, can't be removed.")
        }
        install(nil, areNew: true)
        clearCache()
        logger?.info("The sign-in has ended: the server no longer accepts it.")
        send(.ended(id: ended.id))
        return APIErrors.ended(cause: cause)
    }

    /// Uses newer tokens that another process stored for the same sign-in.
    private func adoptStored(insteadOf spent: AccessTokens) -> Bool {
        guard !isStoreBehind, let stored = try? store.load(), stored.id == spent.id,
            !stored.isSame(as: spent)
        else { return false }
        install(stored, areNew: false)
        send(.refreshed)
        return true
    }

    /// Stores refreshed tokens before they are used, unless another process has signed out or signed in
    /// somebody else.
    ///
    /// Tokens that can't be stored are used nevertheless, since the former ones are spent.
    private func save(_ fresh: AccessTokens, replacing spent: AccessTokens) {
        do {
            guard try isStoreBehind || store.load()?.id == spent.id else { return }
            try store.save(fresh)
            isStoreBehind = false
        } catch {
            isStoreBehind = true
            logger?.warning("The renewed sign-in can't be stored; it ends with this process.")
        }
    }
}

// MARK: - OAuth

extension APIManager {
    package nonisolated func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens {
        let form: [(String, String)]
        switch grant {
        case .password(let username, let password):
            form = [("grant_type", "password"), ("username", username), ("password", password)]
        @unknown default:
            throw APIErrors.unknownGrant
        }
        // A repeated sign-in would make a second one, so it is retried only if it was never sent.
        let answer = try await requestTokens(form, .never)
        return answer.tokens(id: RandomName.make(random), refreshing: nil, now: clock.now())
    }

    package nonisolated func revoke(_ tokens: AccessTokens) async throws {
        let token = tokens.refreshToken ?? tokens.accessToken
        let call = Endpoint<NoAnswer>(
            .post, configuration.revokePath, body: .form([("token", token)]), access: .anonymous)
        _ = try await request(call.with { $0.repetition = .safe })
    }

    private nonisolated func refreshed(_ spent: AccessTokens) async throws -> AccessTokens {
        let form = [("grant_type", "refresh_token"), ("refresh_token", spent.refreshToken ?? "")]
        // Retried also after a lost response: the refresh token may be spent, so there is nothing to lose.
        let answer = try await requestTokens(form, .safe)
        return answer.tokens(id: spent.id, refreshing: spent, now: clock.now())
    }

    private nonisolated func requestTokens(
        _ form: [(String, String)], _ repetition: APICall.Repetition
    ) async throws -> TokenAnswer {
        let path = configuration.tokenPath
        let call = Endpoint<TokenAnswer>(.post, path, body: .form(form), access: .anonymous)
        let answer = try await request(call.with { $0.repetition = repetition })
        guard answer.isUsable else {
            throw APIErrors.undecodable(
                EndpointName(.post, path), "'access_token' is not a valid bearer token.", status: 200)
        }
        return answer
    }
}

extension AccessTokens {
    fileprivate func isSame(as other: AccessTokens) -> Bool {
        (accessToken, refreshToken) == (other.accessToken, other.refreshToken)
    }

    fileprivate var secrets: [String] { [accessToken] + (refreshToken.map { [$0] } ?? []) }
}
