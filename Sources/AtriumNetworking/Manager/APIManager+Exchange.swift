@_spi(Host) internal import AtriumKit
internal import AtriumManifest

// One call's attempts. Runs where the caller does; the actor is asked for tokens only. Where nothing has to be
// waited for, no asynchronous function is called: a call is cold when its answer wakes it, and each counts.

extension APIManager {
    /// Sends one attempt.
    typealias Sending = @Sendable (any HTTPTransport, HTTPRequest) async throws -> HTTPResponse

    /// Sends a request until there is an answer that can be used, or no sense in another attempt.
    ///
    /// - Returns: The answer, of status 200 to 299, or 304 where a stored one was confirmed.
    /// - Throws: ``APIError``, or `CancellationError`.
    nonisolated(nonsending) func run(
        _ exchange: inout Exchange, _ send: Sending
    ) async throws -> HTTPResponse {
        while true {
            guard case .send(let token) = exchange.carry.step else {
                try await waitForTokens(&exchange)
                continue
            }
            let transport =
                if let known = exchange.carry.transport { known } else { try await transport(for: exchange) }
            let request = exchange.request(token: token, remaining: try remaining(exchange))
            exchange.attempts += 1
            let outcome = try await attempt(exchange, request, over: transport, send)
            if case .success(let response) = outcome {
                if isUsable(response, exchange) { return response }
                if response.status == 401, try await mayTryAgain(&exchange, response) { continue }
            }
            try await pause(exchange, outcome)
            exchange.carry = try await carry(exchange.plan, exchange.carry.course)
        }
    }

    private nonisolated func isUsable(_ response: HTTPResponse, _ exchange: Exchange) -> Bool {
        (200..<300).contains(response.status) || response.status == 304 && exchange.lead.stored != nil
    }

    /// Waits for the renewal that the next attempt waits for.
    private nonisolated func waitForTokens(_ exchange: inout Exchange) async throws {
        guard case .wait(let work, let place) = exchange.carry.step else { return }
        try await wait(for: work, at: place, exchange)
        exchange.carry = try await carry(exchange.plan, exchange.carry.course)
    }

    /// Waits for a renewal, which has limits of its own; no longer than the call may take where it says so.
    private nonisolated func wait(
        for work: Promise<Void>, at place: Int, _ exchange: Exchange
    ) async throws {
        guard let limit = exchange.plan.call.timeLimit else { return try await work.value(for: place) }
        let (remaining, name, sleep) = (try remaining(exchange), exchange.plan.name, sleep)
        let timer = Task {
            try await sleep(remaining)
            work.leave(place, throwing: APIErrors.waitedTooLong(name, limit))
        }
        defer { timer.cancel() }
        try await work.value(for: place)
    }

    private nonisolated func transport(for exchange: Exchange) async throws -> any HTTPTransport {
        do {
            return try await currentTransport()
        } catch let error as APIError {
            throw error
        } catch {
            try Task.checkCancellation()
            throw APIErrors.noTransport(error, exchange.plan)
        }
    }

    /// How much of the time for all attempts is left.
    ///
    /// - Throws: ``APIError`` with code `timedOut` where nothing is.
    private nonisolated func remaining(_ exchange: Exchange) throws -> Duration {
        let remaining = exchange.plan.timeLimit - (uptime() - exchange.began)
        guard remaining > .zero
        else { throw APIErrors.timedOut(exchange.plan, origin: configuration.base.origin) }
        return remaining
    }

    /// One attempt; what a transport throws besides its own errors ends the call.
    private nonisolated(nonsending) func attempt(
        _ exchange: Exchange, _ request: HTTPRequest, over transport: any HTTPTransport, _ send: Sending
    ) async throws -> Result<HTTPResponse, TransportError> {
        do {
            return .success(try await send(transport, request))
        } catch let error as TransportError {
            try Task.checkCancellation()
            return .failure(error)
        } catch {
            try Task.checkCancellation()
            throw APIErrors.unknown(error, exchange.plan, redact: await redactor(exchange.plan))
        }
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: The call's error where there is none.
    private nonisolated func pause(
        _ exchange: Exchange, _ outcome: Result<HTTPResponse, TransportError>
    ) async throws {
        let plan = exchange.plan
        let failure: RetryPolicy.Failure =
            switch outcome {
            case .success(let response):
                .status(
                    response.status, retryAfter: RetryAfter.duration(response.fields, now: clock.now()))
            case .failure(let error): .transport(error)
            }
        let wait = configuration.retry.wait(
            after: failure, of: RetryPolicy.Subject(method: plan.call.method, repetition: plan.repetition),
            attempt: exchange.attempts, remaining: plan.timeLimit - (uptime() - exchange.began),
            random: random())
        guard let wait else { throw await error(outcome, plan) }
        logger?.debug("\(plan.name): attempt \(exchange.attempts + 1) in \(APIErrors.seconds(wait)).")
        try await sleep(wait)
        try Task.checkCancellation()
    }

    private nonisolated func error(
        _ outcome: Result<HTTPResponse, TransportError>, _ plan: RequestPlan
    ) async -> APIError {
        let redact = await redactor(plan)
        switch outcome {
        case .success(let response):
            if plan.call.pattern == configuration.tokenPath,
                let error = APIErrors.grant(response, plan.name, redact: redact)
            {
                return error
            }
            return APIErrors.status(response, plan.name, now: clock.now(), redact: redact)
        case .failure(let error):
            return APIErrors.transport(error.redacted(redact), plan, origin: configuration.base.origin)
        }
    }

    /// After a status of 401: whether the call is sent again, with other tokens.
    private nonisolated func mayTryAgain(
        _ exchange: inout Exchange, _ response: HTTPResponse
    ) async throws -> Bool {
        let redact = await redactor(exchange.plan)
        let cause = APIErrors.status(response, exchange.plan.name, now: clock.now(), redact: redact)
        guard let carry = try await refused(exchange.plan, exchange.carry.course, cause) else {
            throw cause
        }
        exchange.carry = carry
        return true
    }
}
