@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func request<Answer: Decodable & Sendable>(
        _ endpoint: Endpoint<Answer>
    ) async throws -> Answer {
        let plan = try await plan(endpoint.call)
        let response = try await answer(to: plan)
        do {
            if let handler = ErrorCodeBody.handler(response) {
                throw APIErrors.handled(handler.redacted(await redactor(plan)), plan.name)
            }
            return try AnswerDecoder.decode(Answer.self, from: response, plan)
        } catch {
            await noteError(plan.name)
            throw error
        }
    }

    /// Makes a call ready; one of which no request can be made counts as a failed call.
    nonisolated(nonsending) func plan(_ call: APICall, isDownload: Bool = false) async throws -> RequestPlan {
        do {
            return try RequestPlan(call, configuration, isDownload: isDownload, random: random)
        } catch {
            await noteFailedCall(EndpointName(call))
            throw error
        }
    }

    /// The answer of status 200 to 299 to a call: stored, shared, or asked for.
    private nonisolated(nonsending) func answer(to plan: RequestPlan) async throws -> HTTPResponse {
        var signIn = TokenCourse.SignIn.undecided
        while true {
            try Task.checkCancellation()
            switch try await begin(plan, signIn) {
            case .stored(let response):
                return response
            case .follow(let work, let place, let person):
                signIn = person
                guard case .ended(let outcome) = try await work.value(for: place) else { continue }
                await noteJoin(plan.name, failed: outcome.isFailure)
                return try outcome.get()
            case .lead(let lead):
                return try await answer(to: plan, lead)
            }
        }
    }

    private nonisolated(nonsending) func answer(
        to plan: RequestPlan, _ lead: Lead
    ) async throws -> HTTPResponse {
        var exchange = Exchange(plan, lead, began: uptime())
        let outcome: Result<HTTPResponse, any Error>
        do {
            let response = try await run(&exchange) { try await $0.send($1) }
            outcome = .success(response)
        } catch {
            outcome = .failure(error)
        }
        return try await end(exchange, outcome).get()
    }
}

extension Result {
    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}
