import AtriumKit
import AtriumTesting
import FoundationEssentials
import Testing

@testable import Catalog

/// One contract, every implementation.
@Suite("Every product service") @MainActor
struct ProductServiceTests {
    enum Store: CaseIterable, Sendable {
        case mock, local, live, cached

        @MainActor
        func make() throws -> any ProductService {
            switch self {
            case .mock: try TestContainer(CatalogModule.self).service()
            case .local: LocalProductService(database: try TestDatabase(CatalogModule.self))
            case .live: LiveProductService(api: ProductServer().client())
            case .cached:
                CachedProductService(LiveProductService(api: ProductServer().client()), clock: FixedClock())
            }
        }
    }

    @Test("An added product can be read", arguments: Store.allCases)
    func add(_ store: Store) async throws {
        let service = try store.make()

        _ = try await service.products()
        let added = try await service.add(ProductDraft(name: "Shelf", price: Price(cents: 750)))

        #expect(added.name == "Shelf" && added.price.cents == 750 && added.availability == .available)
        #expect(try await service.products().filter { $0.name == "Shelf" } == [added])
    }

    @Test("A second product of one name is refused, and the first one stays", arguments: Store.allCases)
    func duplicate(_ store: Store) async throws {
        let service = try store.make()
        let first = try await service.add(ProductDraft(name: "Shelf", price: Price(cents: 750)))

        await #expect(throws: ServiceError.duplicate("Shelf")) {
            try await service.add(ProductDraft(name: "Shelf", price: Price(cents: 1)))
        }

        #expect(try await service.products().filter { $0.name == "Shelf" } == [first])
    }

    @Test("A product is marked by its number, and only that one", arguments: Store.allCases)
    func mark(_ store: Store) async throws {
        let service = try store.make()
        let shelf = try await service.add(ProductDraft(name: "Shelf", price: Price(cents: 750)))
        let box = try await service.add(ProductDraft(name: "Box", price: Price(cents: 100)))

        _ = try await service.products()
        try await service.mark(shelf.id, .soldOut)

        let products = try await service.products()
        #expect(products.first { $0.id == shelf.id }?.availability == .soldOut)
        #expect(products.first { $0.id == box.id } == box)
    }

    @Test("A product that does not exist is not marked", arguments: Store.allCases)
    func markMissing(_ store: Store) async throws {
        let service = try store.make()

        await #expect(throws: ServiceError.noProduct(999)) { try await service.mark(999, .soldOut) }
    }

    @Test("Products of the first version keep their names and prices")
    func migrated() async throws {
        let database = try TestDatabase(CatalogModule.self, version: 1)
        try await database.write { connection in
            _ = try connection.execute("INSERT INTO products VALUES ('Lamp', 4900), ('Desk', 25000)", [])
        }

        try await database.migrate()

        let products = try await LocalProductService(database: database).products()
        #expect(products.map(\.name) == ["Desk", "Lamp"] && products.map(\.id) == [1, 2])
        #expect(products.map(\.price.cents) == [25_000, 4_900])
    }

    @Test("In environment live two screens ask the server once, and a change is seen")
    func live() async throws {
        let api = ProductServer().client()
        let host = try await TestHost(CatalogModule.self, environment: .live, api: api)

        try await host.run("catalog; open catalog")
        #expect(api.calls.map(\.description) == ["GET v1/products"])
        let added = try await host.run("add Shelf 7.50; mark 1 sold-out")

        #expect(added.text().contains("Shelf  7.50 €  sold out"))
        #expect(api.calls("POST v1/products").map(\.body) == [#"{"cents":750,"name":"Shelf"}"#])
    }

    @Test("The cached list is asked for again after five minutes, or a change that may have been made")
    func cached() async throws {
        let (server, clock) = (ProductServer(), FixedClock())
        let api = server.client()
        let service = CachedProductService(LiveProductService(api: api), clock: clock)
        let asked = { api.calls("GET v1/products").count }

        _ = try await service.products()
        clock.advance(seconds: 299)
        _ = try await service.products()
        #expect(asked() == 1)
        clock.advance(seconds: 1)
        _ = try await service.products()
        #expect(asked() == 2)

        await server.loseAnswers()
        await #expect(throws: ServiceError.self) {
            try await service.add(ProductDraft(name: "Shelf", price: Price(cents: 750)))
        }
        #expect(try await service.products().map(\.name) == ["Shelf"])
        #expect(asked() == 3)
    }
}

/// A server of products, behind scripted answers.
actor ProductServer {
    private var products: [ProductAnswer] = []
    private var losesAnswers = false

    nonisolated func client() -> ScriptedAPIClient {
        let api = ScriptedAPIClient()
        api.reply("GET v1/products") { _ in await self.list() }
        api.reply("POST v1/products") { call in try await self.add(call) }
        api.reply("PUT v1/products/:id/available") { call in try await self.mark(call) }
        return api
    }

    func loseAnswers() { losesAnswers = true }

    private func list() -> String { json(products) }

    private func add(_ call: ScriptedCall) throws -> String {
        let body = try JSONDecoder().decode(ProductBody.self, from: Data(call.body.utf8))
        guard !products.contains(where: { $0.name == body.name }) else { throw refusal(409) }
        let added = ProductAnswer(
            id: products.count + 1, name: body.name, cents: body.cents, available: true)
        products.append(added)
        if losesAnswers { throw refusal(500) }
        return json(added)
    }

    private func mark(_ call: ScriptedCall) throws -> String {
        guard let index = products.firstIndex(where: { "\($0.id)" == call.call.values["id"] }) else {
            throw refusal(404)
        }
        products[index].available = call.body == "true"
        return ""
    }

    private func refusal(_ status: Int) -> APIError {
        APIError.serverError(code: status, message: "Refused.", status: status)
    }

    private func json(_ value: some Encodable) -> String {
        String(decoding: (try? JSONEncoder().encode(value)) ?? Data(), as: UTF8.self)
    }
}
