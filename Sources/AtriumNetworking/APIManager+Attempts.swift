@_spi(Host) internal import AtriumKit
internal import AtriumManifest

// The attempts of one call run on the caller's executor and enter the actor only for tokens. Every
// asynchronous call costs time, so none is made unless the call has to wait.

extension APIManager {
    typealias Send = @Sendable (any HTTPTransport, HTTPRequest) async throws -> HTTPResponse

    /// Sends a request, with retries, until there is a usable response.
    ///
    /// - Returns: A response with status 200 to 299, or 304 if it confirms the cached one.
    /// - Throws: ``APIError``, or `CancellationError`.
    nonisolated(nonsending) func run(_ exchange: inout Exchange, _ send: Send) async throws -> HTTPResponse {
        while true {
            guard case .access(let token) = exchange.authorization.token else {
                try await waitForRefresh(&exchange)
                continue
            }
            let known = exchange.authorization.transport
            let transport = if let known { known } else { try await transport(for: exchange.plan) }
            let request = exchange.request(token: token, remaining: try remaining(exchange))
            exchange.attempts += 1
            let result = try await attempt(exchange, request, over: transport, send)
            if mayBePerformed(result, exchange.plan) {
                exchange.doubt = await error(result, exchange.plan)
            }
            if case .success(let response) = result {
                if isUsable(response, exchange) { return response }
                if response.status == 401 {
                    let cause = await error(result, exchange.plan)
                    guard let next = try await authorizationAfterRefusal(exchange, cause) else { throw cause }
                    exchange.authorization = next
                    continue
                }
            }
            try await waitBeforeRetry(exchange, result)
            exchange.authorization = try await authorization(exchange)
        }
    }

    /// True if a failed attempt of a change may have been performed.
    private nonisolated func mayBePerformed(
        _ result: Result<HTTPResponse, TransportError>, _ plan: RequestPlan
    ) -> Bool {
        guard plan.isChange else { return false }
        return switch result {
        case .success(let response): ChangeOutcome(status: response.status) == .unknown
        case .failure(let error): !error.neverSent
        }
    }

    private nonisolated func isUsable(_ response: HTTPResponse, _ exchange: Exchange) -> Bool {
        switch response.status {
        case 200..<300: true
        case 303: !exchange.plan.call.method.isSafe
        case 304: exchange.lookup?.response != nil
        default: false
        }
    }

    /// Waits for a token refresh, at most for the time limit of the call if it has one.
    private nonisolated func waitForRefresh(_ exchange: inout Exchange) async throws {
        guard case .refreshing(let promise, let ticket) = exchange.authorization.token else { return }
        if let limit = exchange.plan.call.timeLimit {
            let (remaining, name, sleep) = (try remaining(exchange), exchange.plan.name, sleep)
            let timer = Task {
                try await sleep(remaining)
                promise.leave(ticket, throwing: APIErrors.refreshTimedOut(name, limit))
            }
            defer { timer.cancel() }
            try await promise.value(for: ticket)
        } else {
            try await promise.value(for: ticket)
        }
        exchange.authorization = try await authorization(exchange)
    }

    nonisolated func transport(for plan: RequestPlan) async throws -> any HTTPTransport {
        do {
            return try await currentTransport()
        } catch let error as APIError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw APIErrors.failed(
                plan, error as? any ExplainedError, otherwise: "no transport is available.", hint: "modules")
        }
    }

    /// The time left for all attempts.
    ///
    /// - Throws: ``APIError`` with code `timedOut` if there is none.
    private nonisolated func remaining(_ exchange: Exchange) throws -> Duration {
        let remaining = exchange.plan.timeLimit - (uptime() - exchange.began)
        guard remaining > .zero
        else { throw APIErrors.timedOut(exchange.plan, origin: configuration.base.origin) }
        return remaining
    }

    /// Sends once; an error that is not a ``TransportError`` ends the call.
    private nonisolated(nonsending) func attempt(
        _ exchange: Exchange, _ request: HTTPRequest, over transport: any HTTPTransport, _ send: Send
    ) async throws -> Result<HTTPResponse, TransportError> {
        do {
            guard let tracer, tracer.detail != .off else {
                if TappedCall.current == nil { return .success(try await send(transport, request)) }
                return .success(try await noted(request, exchange.plan, over: transport, send))
            }
            return .success(
                try await traced(request, exchange.plan, by: tracer) {
                    try await noted(request, exchange.plan, over: transport, send)
                })
        } catch let error as TransportError {
            try Task.checkCancellation()
            return .failure(error)
        } catch {
            try Task.checkCancellation()
            let redact = await redactor(exchange.plan)
            let reason = (error as? any ExplainedError).map { RedactedError($0, redact) }
            throw APIErrors.failed(
                exchange.plan, reason, otherwise: "the transport gave no reason.", hint: APIErrors.again
            ).settled(.unknown)
        }
    }

    /// Waits for the backoff before the next attempt.
    ///
    /// - Throws: The error of the call if it is not retried.
    private nonisolated func waitBeforeRetry(
        _ exchange: Exchange, _ result: Result<HTTPResponse, TransportError>
    ) async throws {
        let plan = exchange.plan
        let fields = (try? result.get())?.fields ?? HTTPFields()
        let wait = configuration.retry.wait(
            after: result, asked: HTTPDate.retryAfter(fields, now: clock.now()), of: plan.call.method,
            plan.repetition, attempt: exchange.attempts,
            remaining: plan.timeLimit - (uptime() - exchange.began), random: random())
        guard let wait else { throw await error(result, plan) }
        logger?.debug("\(plan.name): attempt \(exchange.attempts + 1) in \(APIErrors.seconds(wait)).")
        try await sleep(wait)
        try Task.checkCancellation()
    }

    /// True if a change is not sent again only because the API has no idempotency key.
    private nonisolated func wouldBeRepeated(
        _ result: Result<HTTPResponse, TransportError>, _ plan: RequestPlan
    ) -> Bool {
        plan.lacksKey && configuration.retry.mayRepeat(after: result, of: plan.call.method, .withKey)
    }

    private nonisolated func error(
        _ result: Result<HTTPResponse, TransportError>, _ plan: RequestPlan
    ) async -> APIError {
        let redact = await redactor(plan)
        switch result {
        case .success(let response):
            let body = ErrorBody(response, redact: redact)
            let signIn = authorization.signInCommand
            let answer = redact.answer(response, names: authorization)
            if refusesGrant(response, plan, body) {
                return APIErrors.grant(response, body, signIn: signIn).answered(answer)
            }
            var error = APIErrors.status(response, body, plan.name, now: clock.now(), signIn: signIn)
                .answered(answer)
            if mayBePerformed(result, plan) { error = APIErrors.inDoubt(error) }
            return wouldBeRepeated(result, plan) ? APIErrors.withoutKey(error) : error
        case .failure(let error):
            let isLast = wouldBeRepeated(result, plan)
            let error = APIErrors.transport(error.redacted(redact), plan, origin: configuration.base.origin)
            return isLast ? APIErrors.withoutKey(error) : error
        }
    }
}
