import AtriumTesting
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

private struct LiveStockService: Sendable {
    let api: any APIClient
}

@Suite("The API client in services")
@MainActor
struct SharedAPITests {
    @Test("A named API is asked for with the conventions that the module states")
    func named() async throws {
        var asked: [(String, APIConventions)] = []
        let container = Container(environment: .live)
        let scope = ModuleScope(
            name: "Shop",
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:]),
                namedAPI: {
                    asked.append(($0, $1))
                    return NoAPIClient(.noServer($0))
                }))
        let registry = ModuleRegistry(scope: scope)
        let stated = APIConventions { $0.idempotencyHeader = nil }
        registry.service(
            LiveStockService.self, live: { LiveStockService(api: $0.api("stock", stated)) },
            local: .unavailable, mock: { LiveStockService(api: $0.api) })
        try container.add(registry)

        let service = try container.resolve(LiveStockService.self, .service)
        let error = await #expect(throws: APIError.self) {
            try await service.api.request(Endpoint<NoAnswer>(.get, "v1/stock"))
        }

        #expect(asked.map(\.0) == ["stock"] && asked.map(\.1) == [stated])
        #expect(error?.message == "No server is configured for API 'stock' in environment live.")
        #expect(error?.hint == #"Set "apis": { "stock": { "url": "http://…" } } in modules.json."#)
    }

    @Test("Services of all modules send their requests through the host's client")
    func one() async throws {
        let client = NoAPIClient(.notAuthenticated("Only this client says so."))
        let container = Container(environment: .live)
        for module in ["Shop", "Store"] {
            let scope = ModuleScope(
                name: module,
                infrastructure: ModuleScope.Infrastructure(
                    database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                    analytics: RecordingAnalytics(), configuration: Configuration([:]), api: client))
            let registry = ModuleRegistry(scope: scope)
            registry.service(
                LiveStockService.self, named: module, live: { LiveStockService(api: $0.api) },
                local: .unavailable, mock: { LiveStockService(api: $0.api) })
            try container.add(registry)
        }

        for module in ["Shop", "Store"] {
            let service = try container.resolve(LiveStockService.self, .service, named: module)
            let error = await #expect(throws: APIError.self) {
                try await service.api.request(Endpoint<NoAnswer>(.get, "v1/stock"))
            }
            #expect(error?.message == "Only this client says so.")
        }
    }
}
