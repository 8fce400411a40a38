@_spi(Host) internal import AtriumKit

// What calls share: stored answers, requests under way, counts. Each function is one step for all callers.

extension APIManager {
    /// Decides how a call gets its answer; `signIn` is on whose behalf it is made, once that was decided.
    func begin(
        _ plan: RequestPlan, _ signIn: TokenCourse.SignIn = .undecided
    ) throws -> Beginning {
        loadTokens()
        var course = TokenCourse(plan.call.access)
        course.signIn = signIn
        let step = machine.step(&course, now: clock.now())
        do { try check(step, plan) } catch {
            noteFailedCall(plan.name)
            throw error
        }
        guard plan.isShareable else {
            return .lead(Lead(carry: carry(step, course)))
        }
        let key = CacheKey(url: plan.request.url, person: person(plan.call.access), fields: plan.call.fields)
        let stored = cache.stored(key).flatMap { isWithin($0, plan) ? $0 : nil }
        if let stored, plan.call.freshness == .standard, stored.isFresh(clock.now()) {
            recorder.note(plan.name) {
                $0.counts.calls += 1
                $0.counts.hits += 1
            }
            return .stored(stored.response)
        }
        let flightKey = FlightTable.Key(
            cacheKey: key, freshness: plan.call.freshness, timeLimit: plan.timeLimit,
            answerLimit: plan.request.answerLimit)
        if let (work, place) = flights.join(flightKey) { return .follow(work, place: place, course.signIn) }
        let flight = flights.begin(flightKey, path: plan.path)
        return .lead(Lead(flight: flight, cacheKey: key, stored: stored, carry: carry(step, course)))
    }

    /// Ends a call that asked the server: stores or forgets, tells those who waited, counts.
    ///
    /// - Returns: What the caller gets.
    func end(
        _ exchange: Exchange, _ outcome: Result<HTTPResponse, any Error>
    ) -> Result<HTTPResponse, any Error> {
        let isConfirmed = exchange.lead.stored != nil && (try? outcome.get().status) == 304
        let flight = exchange.lead.flight.map { flights.end($0) }
        let answer = settle(exchange, outcome, mayStore: flight?.isCurrent ?? false)
        if !exchange.plan.call.method.isSafe { invalidate(exchange.plan, outcome) }
        flight?.followers?.settle(.success(answer.isCancelled ? .abandoned : .ended(answer)))
        count(exchange, outcome, answer, isConfirmed: isConfirmed)
        return answer
    }

    /// Makes the caller's answer of what came, and keeps what may be kept.
    private func settle(
        _ exchange: Exchange, _ outcome: Result<HTTPResponse, any Error>, mayStore: Bool
    ) -> Result<HTTPResponse, any Error> {
        guard case .success(let response) = outcome, let key = exchange.lead.cacheKey else { return outcome }
        let (now, path) = (clock.now(), exchange.plan.path)
        if response.status == 304, let stored = exchange.lead.stored {
            let (confirmed, kept) = stored.confirmed(by: response, now: now)
            if mayStore { cache.keep(kept, for: key, path: path) }
            return .success(confirmed)
        }
        if mayStore { cache.keep(StoredResponse(response, now: now), for: key, path: path) }
        return outcome
    }

    /// Forgets what a change may have made wrong (RFC 9111, 4.4), also where it is not known whether it was
    /// made.
    private func invalidate(_ plan: RequestPlan, _ outcome: Result<HTTPResponse, any Error>) {
        switch outcome {
        case .success: break
        case .failure(let error as APIError):
            let neverSent = (error.cause as? TransportError)?.neverSent ?? false
            let isRefused = error.status.map { (400..<500).contains($0) } ?? false
            if neverSent || isRefused { return }
        case .failure: break
        }
        cache.invalidate(plan.path)
        flights.invalidate(plan.path)
    }

    private func count(
        _ exchange: Exchange, _ outcome: Result<HTTPResponse, any Error>,
        _ answer: Result<HTTPResponse, any Error>, isConfirmed: Bool
    ) {
        let time = uptime() - exchange.began
        recorder.note(exchange.plan.name) {
            $0.counts.calls += 1
            $0.counts.errors += answer.isFailure && !answer.isCancelled ? 1 : 0
            $0.counts.retries += max(0, exchange.attempts - 1)
            $0.counts.confirmations += isConfirmed ? 1 : 0
            $0.counts.sentBytes += exchange.plan.request.body.size * exchange.attempts
            $0.counts.receivedBytes += (try? outcome.get().body.count) ?? 0
            if !answer.isCancelled { $0.latency.note(time) }
        }
    }

    func noteJoin(_ name: EndpointName, failed: Bool) {
        recorder.note(name) {
            $0.counts.calls += 1
            $0.counts.joins += 1
            $0.counts.errors += failed ? 1 : 0
        }
    }

    /// Counts a call as failed whose answer came, but is not what was asked for.
    func noteError(_ name: EndpointName) {
        recorder.note(name) { $0.counts.errors += 1 }
    }

    func noteFailedCall(_ name: EndpointName) {
        recorder.note(name) {
            $0.counts.calls += 1
            $0.counts.errors += 1
        }
    }

    private func isWithin(_ stored: StoredResponse, _ plan: RequestPlan) -> Bool {
        stored.response.body.count <= plan.request.answerLimit
    }

    /// Whose answers a call may get.
    private func person(_ access: APIAccess) -> String? {
        switch access {
        case .anonymous: nil
        case .optional, .required: machine.present?.id
        case .explicit(let tokens): tokens.id
        @unknown default: machine.present?.id
        }
    }
}

extension Result {
    var isCancelled: Bool {
        if case .failure(let error) = self { error is CancellationError } else { false }
    }
}

extension HTTPBody {
    fileprivate var size: Int {
        if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }
}
