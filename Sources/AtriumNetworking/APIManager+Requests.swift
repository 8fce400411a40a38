@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>
    ) async throws -> Answer {
        let plan = try await plan(endpoint.call)
        let response = try await response(to: plan)
        if StorageConsent.isAsked, CacheControl(response.fields).isNoStore { StorageConsent.refuse() }
        do {
            if response.status != 303, let handler = ErrorCodeBody.handler(response) {
                let redact = await redactor(plan)
                throw APIErrors.handled(handler.redacted(redact), plan.name)
                    .answered(redact.answer(response, names: authorization))
            }
            return try AnswerDecoder.decode(Answer.self, from: response, plan)
        } catch {
            await countError(plan.name, error)
            throw error
        }
    }

    package nonisolated func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        var results = [Result<Answer, any Error>?](repeating: nil, count: endpoints.count)
        await withTaskGroup(of: (Int, Result<Answer, any Error>).self) { group in
            var next = 0
            func addNext() {
                let index = next
                next += 1
                group.addTask {
                    do {
                        return (index, .success(try await self.request(endpoints[index])))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            while next < min(max(1, width), endpoints.count) { addNext() }
            for await (index, result) in group {
                results[index] = result
                if next < endpoints.count, !Task.isCancelled { addNext() }
            }
        }
        // A cancelled caller gets no partial results.
        try Task.checkCancellation()
        return results.compactMap { $0 }
    }

    /// Makes the plan of a call; counts a call without a valid request as failed.
    nonisolated(nonsending) func plan(_ call: APICall, isDownload: Bool = false) async throws -> RequestPlan {
        do {
            guard configuration.allowsChanges || call.method.isSafe else { throw APIErrors.inSandbox(call) }
            return try RequestPlan(call, configuration, isDownload: isDownload, random: random)
        } catch {
            await countFailedCall(EndpointName(call), error)
            throw error
        }
    }

    /// The response with status 200 to 299: from the cache or the server.
    private nonisolated(nonsending) func response(to plan: RequestPlan) async throws -> HTTPResponse {
        try Task.checkCancellation()
        switch try await source(of: plan) {
        case .cache(let response):
            await traceCached(plan)
            return response
        case .server(let lookup, let authorization):
            return try await perform(plan, lookup, authorization) { try await $0.send($1) }
        }
    }

    nonisolated(nonsending) func perform(
        _ plan: RequestPlan, _ lookup: CacheLookup?, _ authorization: Authorization, _ send: Send
    ) async throws -> HTTPResponse {
        var exchange = Exchange(plan: plan, lookup: lookup, authorization: authorization, began: uptime())
        let result: Result<HTTPResponse, any Error>
        do {
            result = .success(try await run(&exchange, send))
        } catch {
            result = .failure(exchange.outcome(error))
        }
        return try await end(exchange, result)
    }
}

// MARK: - Steps shared by calls

// Each of these functions is one atomic step for all callers.

extension APIManager {
    func source(of plan: RequestPlan) throws -> ResponseSource {
        loadTokens()
        var state = AuthState(plan.call.access, signIn: currentTokens.tokens?.id)
        let decision: CurrentTokens.Decision
        do {
            decision = try decide(plan, &state)
        } catch {
            countFailedCall(plan.name, error)
            throw error
        }
        guard plan.isCacheable else { return .server(nil, authorization(decision, state)) }
        let key = CacheKey(url: plan.request.url, person: person(plan.call.access), fields: plan.call.fields)
        let cached = cache.response(key).flatMap {
            $0.response.body.count <= plan.request.answerLimit ? $0 : nil
        }
        if let cached, plan.call.freshness == .standard, cached.isFresh(clock.now()) {
            recorder.note(plan.name) {
                $0.calls += 1
                $0.hits += 1
            }
            return .cache(cached.response)
        }
        lookups += 1
        return .server(
            CacheLookup(key, cached, changes: changes, order: lookups), authorization(decision, state))
    }

    /// Ends a call to the server: updates the cache and counts.
    ///
    /// - Returns: The response for the caller.
    private func end(
        _ exchange: Exchange, _ received: Result<HTTPResponse, any Error>
    ) throws -> HTTPResponse {
        let isConfirmed = exchange.lookup?.response != nil && (try? received.get().status) == 304
        let time = uptime() - exchange.began
        recorder.note(exchange.plan.name) {
            $0.calls += 1
            $0.retries += max(0, exchange.attempts - 1)
            $0.confirmations += isConfirmed ? 1 : 0
            if case .failure(let error) = received {
                guard !error.isCancellation else { return }
                $0.errors += 1
            }
            $0.latency.note(time)
        }
        if case .failure(let error) = received { noteFailure(exchange.plan.name, error) }
        if !exchange.plan.call.method.isSafe { invalidate(exchange.plan, received) }
        return try updateCache(exchange, received.get())
    }

    private func updateCache(_ exchange: Exchange, _ response: HTTPResponse) -> HTTPResponse {
        guard let lookup = exchange.lookup else { return response }
        let (now, path, mayKeep) = (clock.now(), exchange.plan.path, lookup.changes == changes)
        if response.status == 304, let cached = lookup.response {
            let (confirmed, kept) = cached.confirmed(by: response, now: now)
            if mayKeep { cache.keep(kept, for: lookup.key, path: path, order: lookup.order) }
            return confirmed
        }
        if mayKeep {
            cache.keep(CachedResponse(response, now: now), for: lookup.key, path: path, order: lookup.order)
        }
        return response
    }

    /// Removes cached responses that a change may have made wrong (RFC 9111, 4.4), also if it is unknown
    /// whether the change was made.
    private func invalidate(_ plan: RequestPlan, _ received: Result<HTTPResponse, any Error>) {
        if case .failure(let error as APIError) = received {
            if error.outcome == .notMade { return }
        }
        cache.invalidate(plan.path)
        changes += 1
    }

    /// Counts a call as failed because its response was invalid.
    func countError(_ name: EndpointName, _ error: any Error) {
        recorder.note(name) { $0.errors += 1 }
        noteFailure(name, error)
    }

    private func countFailedCall(_ name: EndpointName, _ error: any Error) {
        recorder.note(name) {
            $0.calls += 1
            $0.errors += 1
        }
        noteFailure(name, error)
    }

    private func noteFailure(_ name: EndpointName, _ error: any Error) {
        guard !error.isCancellation else { return }
        let error = error as? any ExplainedError
        let reason = error?.cause as? TransportError ?? error
        recorder.note(
            APIMetrics.Failure(
                time: clock.now(), endpoint: name, status: (error as? APIError)?.status,
                code: error?.code ?? .requestFailed, message: reason?.message ?? "The request failed."))
    }

    /// The sign-in that a call may get cached responses of.
    private func person(_ access: APIAccess) -> String? {
        switch access {
        case .anonymous: nil
        case .explicit(let tokens): tokens.id
        default: currentTokens.tokens?.id
        }
    }
}

extension Error {
    fileprivate var isCancellation: Bool {
        self is CancellationError || (self as? APIError)?.code == .cancelled
    }
}
