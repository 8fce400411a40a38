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
        let outcome: Result<HTTPResponse, any Error>
        do {
            let response = try await run(&exchange) { transport, request in
                try await transport.download(request, to: path, progress: progress)
            }
            outcome = .success(response)
        } catch {
            outcome = .failure(error)
        }
        _ = try await end(exchange, outcome).get()
    }
}
