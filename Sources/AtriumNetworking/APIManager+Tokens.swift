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

    /// Reads the stored tokens, once; if that fails, the user is signed out.
    func loadTokens() {
        guard !hasLoaded else { return }
        hasLoaded = true
        do {
            install(try storedTokens(), areNew: false)
        } catch {
            logger?.warning("The stored sign-in can't be read, so nobody is signed in.")
        }
    }

    /// The stored tokens; without a refresh token if the API has no refresh.
    private func storedTokens() throws -> AccessTokens? {
        let tokens = try store.load()
        guard let tokens, authorization.refreshPath == nil else { return tokens }
        return AccessTokens(id: tokens.id, accessToken: tokens.accessToken, expiresAt: tokens.expiresAt)
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

    /// Returns a redactor for external texts about a call.
    func redactor(_ plan: RequestPlan) -> Redactor {
        var secrets = plan.secrets + recentSecrets
        if case .json = plan.call.body, case .bytes(let bytes) = plan.request.body {
            secrets += SecretMembers.values(in: bytes, names: authorization)
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
            throw APIErrors.failure(error, plan.name, signIn: authorization.signInCommand)
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

    /// Joins the token refresh in flight, or begins one.
    ///
    /// A refresh is never cancelled: a server that rotates refresh tokens may already have spent the old one.
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
            // A late answer must not sign in a user who has signed out meanwhile.
            guard currentTokens.isCurrent(spent) else { return }
            save(fresh, replacing: spent)
            install(fresh, areNew: true)
            recorder.refreshes += 1
            logger?.info("The sign-in was renewed.")
            send(.refreshed)
        } catch {
            recorder.failedRefreshes += 1
            guard currentTokens.isCurrent(spent) else { return }
            let error = error as? APIError ?? ended(cause: nil)
            guard error.code == .invalidGrant else { throw APIErrors.notRefreshed(error) }
            // Another process may have spent the same refresh token and stored new ones.
            guard !adoptStored(insteadOf: spent) else { return }
            throw endSignIn(cause: error)
        }
    }

    /// Removes tokens that the server refuses permanently.
    ///
    /// - Returns: The error for the call that used them.
    private func endSignIn(cause: APIError) -> APIError {
        guard let ended = currentTokens.tokens else { return self.ended(cause: cause) }
        do {
            // Tokens saved meanwhile are not the ones refused.
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
        return self.ended(cause: cause)
    }

    private nonisolated func ended(cause: APIError?) -> APIError {
        APIErrors.ended(cause: cause, signIn: authorization.signInCommand)
    }

    /// Uses newer tokens that another process stored for the same sign-in.
    private func adoptStored(insteadOf spent: AccessTokens) -> Bool {
        guard !isStoreBehind, let stored = try? storedTokens(), stored.id == spent.id,
            !stored.isSame(as: spent)
        else { return false }
        install(stored, areNew: false)
        send(.refreshed)
        return true
    }

    /// Stores refreshed tokens before they are used, unless another process has signed out or signed in
    /// another user.
    ///
    /// Tokens that can't be stored are used anyway, since the former ones are spent.
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

// MARK: - Token endpoints

extension APIManager {
    nonisolated var authorization: APIConventions.Authorization { configuration.conventions.authorization }

    package nonisolated func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens {
        var members = authorization.grant.map { [("grant_type", $0)] } ?? []
        switch grant {
        case .password(let username, let password):
            members += [(authorization.usernameMember, username), (authorization.passwordMember, password)]
        @unknown default:
            throw APIErrors.unknownGrant
        }
        // A repeated sign-in would create a second one, so it is retried only if it was never sent.
        let answer = try await requestTokens(
            authorization.tokenPath, members + configuration.wire.tokenMembers, .never)
        return answer.tokens(id: RandomName.make(random), refreshing: nil, now: clock.now())
    }

    package nonisolated func revoke(_ tokens: AccessTokens) async throws {
        guard let path = authorization.revokePath else { return }
        var call = Endpoint<NoAnswer>(.post, path, access: .explicit(tokens)).call
        if let member = authorization.revokeMember {
            call.body = authorization.encode([(member, tokens.refreshToken ?? tokens.accessToken)])
            call.access = .anonymous
            call.fields["Authorization"] = configuration.wire.clientAuthorization
        }
        call.repetition = .safe
        do {
            _ = try await request(Endpoint<NoAnswer>(.post, path).with { $0 = call })
        } catch let error as APIError where error.code == .invalidGrant {
            // Unlike RFC 7009, such a server refuses to revoke tokens that no longer work.
        }
    }

    private nonisolated func refreshed(_ spent: AccessTokens) async throws -> AccessTokens {
        guard let path = authorization.refreshPath else { throw ended(cause: nil) }
        let grant = authorization.grant == nil ? [] : [("grant_type", "refresh_token")]
        let members = grant + [(authorization.refreshMember, spent.refreshToken ?? "")]
        // Retried also after a lost response: the refresh token may be spent, so there is nothing to lose.
        let answer = try await requestTokens(path, members + configuration.wire.tokenMembers, .safe)
        return answer.tokens(id: spent.id, refreshing: spent, now: clock.now())
    }

    private nonisolated func requestTokens(
        _ path: String, _ members: [(String, String)], _ repetition: APICall.Repetition
    ) async throws -> TokenAnswer {
        let body = authorization.encode(members)
        let call = Endpoint<TokenAnswer>(.post, path, body: body, access: .anonymous)
        let answer = try await request(
            call.with {
                $0.repetition = repetition
                $0.fields["Authorization"] = configuration.wire.clientAuthorization
            })
        guard answer.isUsable(scheme: authorization.scheme) else {
            throw APIErrors.undecodable(
                EndpointName(.post, path),
                "'\(authorization.accessTokenMember)' is not a valid \(authorization.tokenKind).", status: 200
            )
        }
        return answer
    }

    /// True if an answer refuses credentials or tokens, rather than failing for another reason.
    ///
    /// With a grant but no OAuth error in the body, the status decides: 401, or 400 with JSON, as a 400
    /// without JSON does not come from the API.
    nonisolated func refusesGrant(_ response: HTTPResponse, _ plan: RequestPlan, _ body: ErrorBody) -> Bool {
        let path = plan.call.pattern
        guard authorization.grant == nil else {
            guard [authorization.tokenPath, authorization.refreshPath].contains(path) else { return false }
            if let error = body.oauth { return error == "invalid_grant" }
            return response.status == 401 || response.status == 400 && body.isJSON
        }
        let paths = [authorization.tokenPath, authorization.refreshPath, authorization.revokePath]
        return paths.contains(path) && [400, 401].contains(response.status)
    }
}

extension APIConventions.Authorization {
    fileprivate var tokenKind: String { scheme == "Bearer" ? "bearer token" : "access token" }

    /// True if a member of a request contains a password or a token.
    func isSecret(_ name: String) -> Bool {
        [passwordMember, refreshMember, revokeMember].contains(name)
            || [passwordMember, refreshMember].contains { $0.hasSuffix(".\(name)") }
    }

    fileprivate func encode(_ members: [(String, String)]) -> APIBody {
        guard body == .json else { return .form(members) }
        let object = members.reduce(into: JSONValue.object(JSONObject())) { json, member in
            json = json.setting(MemberPath(member.0).names[...], member.1)
        }
        return .json(object)
    }
}

extension JSONValue {
    /// Returns a copy with a text at a path, creating the objects along it.
    fileprivate func setting(_ names: ArraySlice<String>, _ text: String) -> JSONValue {
        guard let name = names.first else { return .string(text) }
        var object = if case .object(let object) = self { object } else { JSONObject() }
        object[name] = (object[name] ?? .object(JSONObject())).setting(names.dropFirst(), text)
        return .object(object)
    }
}

extension AccessTokens {
    fileprivate func isSame(as other: AccessTokens) -> Bool {
        (accessToken, refreshToken) == (other.accessToken, other.refreshToken)
    }

    fileprivate var secrets: [String] { [accessToken] + (refreshToken.map { [$0] } ?? []) }
}
