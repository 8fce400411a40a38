@_spi(Host) package import AtriumKit

extension APIManager {
    package var tokens: AccessTokens? {
        loadTokens()
        return machine.present
    }

    package func use(_ tokens: AccessTokens?) throws {
        loadTokens()
        if let tokens { try store.save(tokens) } else { try store.clear() }
        isStoreBehind = false
        install(tokens, areNew: false)
        forgetAnswers()
    }

    package nonisolated func tokenEvents() async -> AsyncStream<TokenEvent> {
        events.stream()
    }

    /// Reads the stored tokens, once.
    ///
    /// What can't be read counts as nothing: nobody is signed in.
    func loadTokens() {
        guard !hasLoaded else { return }
        hasLoaded = true
        do {
            install(try store.load(), areNew: false)
        } catch {
            logger?.warning("The stored sign-in can't be read, so nobody is signed in.")
        }
    }

    /// What an attempt of a call carries.
    ///
    /// - Throws: ``APIError`` where the call can't be sent.
    func carry(_ plan: RequestPlan, _ course: TokenCourse) throws -> Carry {
        var course = course
        let step = machine.step(&course, now: clock.now())
        try check(step, plan)
        return carry(step, course)
    }

    func carry(_ step: TokenMachine.Step, _ course: TokenCourse) -> Carry {
        switch step {
        case .send(let token):
            return Carry(course: course, step: .send(token), transport: transport)
        case .renew(let tokens):
            let (work, place) = joinRefresh(of: tokens)
            return Carry(course: course, step: .wait(work, place: place), transport: transport)
        case .fail:
            preconditionFailure("A call that can't be sent carries nothing.")
        }
    }

    func check(_ step: TokenMachine.Step, _ plan: RequestPlan) throws {
        guard case .fail(let failure) = step else { return }
        throw APIErrors.failure(failure, plan.name)
    }

    /// Notes that the server refused what a call carried.
    ///
    /// - Returns: What the next attempt carries; nil where there is none.
    /// - Throws: ``APIError`` where the sign-in has ended by it.
    func refused(_ plan: RequestPlan, _ course: TokenCourse, _ cause: APIError) throws -> Carry? {
        var course = course
        switch machine.refuse(&course) {
        case .again: return try carry(plan, course)
        case .giveUp: return nil
        case .end: throw end(cause: cause)
        }
    }

    /// Takes secrets out of texts of others about a call.
    func redactor(_ plan: RequestPlan) -> Redactor {
        var secrets = plan.secrets + recentSecrets
        if case .json = plan.call.body, case .bytes(let bytes) = plan.request.body {
            secrets += SecretMembers.values(in: bytes)
        }
        if case .explicit(let tokens) = plan.call.access {
            secrets += [tokens.accessToken] + (tokens.refreshToken.map { [$0] } ?? [])
        }
        return Redactor(secrets)
    }

    /// Makes tokens the present ones.
    func install(_ tokens: AccessTokens?, areNew: Bool) {
        machine.install(tokens, now: clock.now(), areNew: areNew)
        guard let tokens else { return }
        recentSecrets.insert(
            contentsOf: [tokens.accessToken] + (tokens.refreshToken.map { [$0] } ?? []), at: 0)
        recentSecrets.removeLast(max(0, recentSecrets.count - 8))
    }

    func forgetAnswers() {
        cache.removeAll()
        flights.invalidateAll()
    }
}
