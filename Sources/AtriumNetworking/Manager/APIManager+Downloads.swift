@_spi(Host) package import AtriumKit

extension APIManager {
    package nonisolated func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        var call = call
        call.freshness = .none
        let plan = try await plan(call, isDownload: true)
        try Task.checkCancellation()
        guard case .lead(let lead) = try await begin(plan) else { return }
        var exchange = Exchange(plan, lead, began: uptime())
        let file = StagedFile(for: path, name: RandomName.make(random))
        defer { file.discard() }
        let outcome: Result<HTTPResponse, any Error>
        do {
            let response = try await run(&exchange) { transport, request in
                try await file.naming {
                    try await transport.download(request, to: file.stagedPath, progress: progress)
                }
            }
            outcome = .success(response)
        } catch {
            outcome = .failure(error)
        }
        let response = try await end(exchange, outcome).get()
        do {
            try await check(response, file, plan)
            try file.publish()
        } catch {
            await noteError(plan.name)
            throw error
        }
    }

    /// Refuses an answer of status 200 to 299 that is not what was asked for, as ``request(_:)`` does.
    private nonisolated func check(
        _ response: HTTPResponse, _ file: StagedFile, _ plan: RequestPlan
    ) async throws {
        var whole = response
        // What is too large to be kept in memory is no description of an error.
        if let body = file.content(limit: plan.request.answerLimit) { whole.body = body }
        if let handler = ErrorCodeBody.handler(whole) {
            throw APIErrors.handled(handler.redacted(await redactor(plan)), plan.name)
        }
        guard ![204, 205, 206].contains(response.status) else {
            throw APIErrors.notWhole(plan.name, status: response.status)
        }
        let accepted = AcceptedTypes(plan.request.fields)
        if let type = MediaType(response.fields), !accepted.contains(type) {
            throw APIErrors.wrongType(plan.name, type.name, of: accepted, status: response.status)
        }
    }
}
