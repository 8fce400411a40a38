@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>
    ) async throws -> Answer {
        let plan = try await plan(endpoint.call)
        let response = try await response(to: plan)
        do {
            if let handler = ErrorCodeBody.handler(response) {
                throw APIErrors.handled(handler.redacted(await redactor(plan)), plan.name)
            }
            return try AnswerDecoder.decode(Answer.self, from: response, plan)
        } catch {
            await countError(plan.name)
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

    /// Makes the plan of a call, and counts a call without a valid request as failed.
    nonisolated(nonsending) func plan(_ call: APICall, isDownload: Bool = false) async throws -> RequestPlan {
        do {
            return try RequestPlan(call, configuration, isDownload: isDownload, random: random)
        } catch {
            await countFailedCall(EndpointName(call))
            throw error
        }
    }

    /// The response with status 200 to 299: from the cache, a request in flight, or the server.
    private nonisolated(nonsending) func response(to plan: RequestPlan) async throws -> HTTPResponse {
        var signIn = AuthState.SignIn.undecided
        while true {
            try Task.checkCancellation()
            switch try await source(of: plan, signIn) {
            case .cache(let response):
                return response
            case .inFlight(let promise, let ticket, let person):
                signIn = person
                guard case .ended(let result) = try await promise.value(for: ticket) else { continue }
                await countJoin(plan.name, failed: result.isFailure)
                return try result.get()
            case .server(let leader):
                return try await perform(plan, leader) { try await $0.send($1) }
            }
        }
    }

    /// Sends the request of a leader and shares its result.
    nonisolated(nonsending) func perform(
        _ plan: RequestPlan, _ leader: RequestLeader, _ send: Send
    ) async throws -> HTTPResponse {
        var exchange = Exchange(plan, leader, began: uptime())
        let result: Result<HTTPResponse, any Error>
        do {
            result = .success(try await run(&exchange, send))
        } catch {
            result = .failure(error)
        }
        return try await end(exchange, result).get()
    }
}

// MARK: - What calls share

// Each of these functions is one step for all callers.

extension APIManager {
    /// Decides where the response to a call comes from.
    func source(
        of plan: RequestPlan, _ signIn: AuthState.SignIn = .undecided
    ) throws -> ResponseSource {
        loadTokens()
        var state = AuthState(plan.call.access, signIn: signIn)
        let decision = currentTokens.decide(&state, now: clock.now())
        if case .fail(let failure) = decision {
            countFailedCall(plan.name)
            throw APIErrors.failure(failure, plan.name)
        }
        guard plan.isShareable else {
            return .server(RequestLeader(authorization: authorization(decision, state)))
        }
        let key = CacheKey(url: plan.request.url, person: person(plan.call.access), fields: plan.call.fields)
        let cached = cache.response(key).flatMap {
            $0.response.body.count <= plan.request.answerLimit ? $0 : nil
        }
        if let cached, plan.call.freshness == .standard, cached.isFresh(clock.now()) {
            recorder.note(plan.name) {
                $0.counts.calls += 1
                $0.counts.hits += 1
            }
            return .cache(cached.response)
        }
        let requestKey = InFlightRequests.Key(
            cacheKey: key, freshness: plan.call.freshness, timeLimit: plan.timeLimit,
            answerLimit: plan.request.answerLimit)
        if let (promise, ticket) = inFlight.join(requestKey) {
            return .inFlight(promise, ticket: ticket, state.signIn)
        }
        let number = inFlight.begin(requestKey, path: plan.path)
        return .server(
            RequestLeader(
                number: number, cacheKey: key, cached: cached, authorization: authorization(decision, state)))
    }

    /// Ends a call to the server: updates the cache, gives the result to followers, and counts.
    ///
    /// - Returns: The result for the caller.
    private func end(
        _ exchange: Exchange, _ received: Result<HTTPResponse, any Error>
    ) -> Result<HTTPResponse, any Error> {
        let isConfirmed = exchange.leader.cached != nil && (try? received.get().status) == 304
        let request = exchange.leader.number.map { inFlight.end($0) }
        let result = updateCache(exchange, received, mayKeep: request?.isCurrent ?? false)
        if !exchange.plan.call.method.isSafe { invalidate(exchange.plan, received) }
        request?.followers?.settle(.success(result.isCancelled ? .abandoned : .ended(result)))
        let time = uptime() - exchange.began
        recorder.note(exchange.plan.name) {
            $0.counts.calls += 1
            $0.counts.errors += result.isFailure && !result.isCancelled ? 1 : 0
            $0.counts.retries += max(0, exchange.attempts - 1)
            $0.counts.confirmations += isConfirmed ? 1 : 0
            if case .bytes(let bytes) = exchange.plan.request.body {
                $0.counts.sentBytes += bytes.count * exchange.attempts
            }
            $0.counts.receivedBytes += (try? received.get().body.count) ?? 0
            if !result.isCancelled { $0.latency.note(time) }
        }
        return result
    }

    private func updateCache(
        _ exchange: Exchange, _ received: Result<HTTPResponse, any Error>, mayKeep: Bool
    ) -> Result<HTTPResponse, any Error> {
        guard case .success(let response) = received, let key = exchange.leader.cacheKey
        else { return received }
        let (now, path) = (clock.now(), exchange.plan.path)
        if response.status == 304, let cached = exchange.leader.cached {
            let (confirmed, kept) = cached.confirmed(by: response, now: now)
            if mayKeep { cache.keep(kept, for: key, path: path) }
            return .success(confirmed)
        }
        if mayKeep { cache.keep(CachedResponse(response, now: now), for: key, path: path) }
        return received
    }

    /// Removes cached responses that a change may have made wrong (RFC 9111, 4.4), also if it is unknown
    /// whether the change was made.
    private func invalidate(_ plan: RequestPlan, _ received: Result<HTTPResponse, any Error>) {
        if case .failure(let error as APIError) = received {
            let neverSent = (error.cause as? TransportError)?.neverSent ?? false
            let isRefused = error.status.map { (400..<500).contains($0) } ?? false
            if neverSent || isRefused { return }
        }
        cache.invalidate(plan.path)
        inFlight.invalidate(plan.path)
    }

    private func countJoin(_ name: EndpointName, failed: Bool) {
        recorder.note(name) {
            $0.counts.calls += 1
            $0.counts.joins += 1
            $0.counts.errors += failed ? 1 : 0
        }
    }

    /// Counts a call as failed whose response was received but is invalid.
    func countError(_ name: EndpointName) {
        recorder.note(name) { $0.counts.errors += 1 }
    }

    private func countFailedCall(_ name: EndpointName) {
        recorder.note(name) {
            $0.counts.calls += 1
            $0.counts.errors += 1
        }
    }

    /// The person whose cached responses a call may get.
    private func person(_ access: APIAccess) -> String? {
        switch access {
        case .anonymous: nil
        case .optional, .required: currentTokens.tokens?.id
        case .explicit(let tokens): tokens.id
        @unknown default: currentTokens.tokens?.id
        }
    }
}

extension Result {
    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }

    fileprivate var isCancelled: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}
