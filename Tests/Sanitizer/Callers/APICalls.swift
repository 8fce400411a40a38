import AtriumKit

/// Concurrent calls of the API client: first reads that wait for one token refresh, then mixed calls.
struct APICalls {
    private let transport = InstantTransport()
    private let api: APIManager

    init() throws {
        let expired = AccessTokens(
            id: "ada", accessToken: "access-0", refreshToken: "refresh-0",
            expiresAt: Timestamp(microseconds: 0))
        api = APIManager(
            configuration: try APIConfiguration(url: "http://server.test"),
            transport: { [transport] in transport }, tokens: MemoryTokenStore(expired), clock: StandingClock()
        )
    }

    func run() async throws -> String {
        var calls = try await atOnce { number in try await read(number) }
        let renewals = transport.renewals
        require(renewals == 1, "The tokens were refreshed \(renewals) times.")

        calls += try await atOnce { number in
            switch number % 20 {
            case 13: _ = try await api.request(.create)
            case 14: _ = try await api.batch([.row(1), .row(2), .row(3)], width: 2)
            case 15: _ = await api.metrics
            case 16: _ = await api.tokens
            case 17: await api.transportDidChange()
            case 18: _ = await api.tokenEvents()
            default: try await read(number % 10)
            }
        }
        return "api: \(calls) calls, \(renewals) renewal"
    }

    private func read(_ id: Int) async throws {
        let row = try await api.request(.row(id))
        require(row.id == id, "Row \(id) was requested, but row \(row.id) returned.")
    }
}

private struct Row: Codable, Sendable {
    var id: Int
}

extension Endpoint where Answer == Row {
    fileprivate static func row(_ id: Int) -> Self { Endpoint(.get, "v1/rows/:id", ["id": "\(id)"]) }
    fileprivate static let create = Endpoint(.post, "v1/rows", body: .json(Row(id: 7)))
}
