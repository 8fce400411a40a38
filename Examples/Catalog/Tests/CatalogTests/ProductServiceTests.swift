import AtriumKit
import AtriumTesting
import FoundationEssentials
import Testing

@testable import Catalog

/// One contract, every implementation.
@Suite("Every product service") @MainActor
struct ProductServiceTests {
    enum Store: CaseIterable, Sendable { case mock, local, live, cached }

    private static let shelf = Product(name: "Shelf", price: Money(hundredths: 750))

    /// Runs a test with the products of a store, in a host.
    private func with(
        _ store: Store, _ test: (RecordRepository<Product>) async throws -> Void
    ) async throws {
        let host = try await TestHost(
            CatalogModule.self, environment: store == .mock ? .mock : store == .local ? .local : .live,
            api: ProductServer().client())
        let service = try host.container.service((any RecordService<Product>).self)
        try await test(
            RecordRepository(
                service: store == .cached
                    ? CachedProductService(service, clock: host.container.clock) : service,
                clock: host.container.clock))
    }

    @Test("An added product can be read", arguments: Store.allCases)
    func add(_ store: Store) async throws {
        try await with(store) { products in
            _ = try await products.page(RecordQuery())
            let added = try await products.create(Self.shelf)

            #expect(added.name == "Shelf" && added.price.hundredths == 750)
            #expect(added.availability == .available)
            #expect(try await products.page(RecordQuery()).rows.filter { $0.name == "Shelf" } == [added])
        }
    }

    @Test("A second product of one name is refused, and the first one stays", arguments: Store.allCases)
    func duplicate(_ store: Store) async throws {
        try await with(store) { products in
            let first = try await products.create(Self.shelf)

            await #expect {
                try await products.create(Product(name: "SHELF"))
            } throws: { error in
                switch store {
                case .mock, .local:
                    (error as? ValidationError)?.message
                        == "There is a product with the name 'SHELF' already."
                case .live, .cached: (error as? ServiceError)?.code == "createFailed"
                }
            }

            #expect(try await products.record(first.id) == first)
            #expect(
                try await products.page(RecordQuery()).rows.filter { $0.name.uppercased() == "SHELF" }
                    == [first])
        }
    }

    @Test("A product is marked by its number, and only that one", arguments: Store.allCases)
    func mark(_ store: Store) async throws {
        try await with(store) { products in
            let shelf = try await products.create(Self.shelf)
            let box = try await products.create(Product(name: "Box"))
            _ = try await products.page(RecordQuery())
            var marked = shelf
            marked.availability = .soldOut

            _ = try await products.update(marked, from: shelf)

            let found = try await products.page(RecordQuery()).rows
            #expect(found.first { $0.id == shelf.id } == marked)
            #expect(found.first { $0.id == box.id } == box)
        }
    }

    @Test("A product that does not exist is not marked", arguments: Store.allCases)
    func markMissing(_ store: Store) async throws {
        try await with(store) { products in
            var (missing, marked) = (Self.shelf, Self.shelf)
            (missing.id, marked.id, marked.availability) = (999, 999, .soldOut)

            let error = await #expect(throws: ServiceError.self) {
                try await products.update(marked, from: missing)
            }

            #expect(error?.message == "There is no product 999." && error?.hint == "catalog")
        }
    }

    @Test("In environment live a server has the products, and a change is seen")
    func live() async throws {
        let api = ProductServer().client()
        let host = try await TestHost(CatalogModule.self, environment: .live, api: api)

        try await host.run("open catalog")
        let added = try await host.run("add Shelf 7.50; mark 1 sold-out; list --search shelf")

        #expect(added.text().contains("Shelf  7.50 €  sold out"))
        #expect(
            api.calls("POST v1/products").map(\.body)
                == [#"{"availability":"available","name":"Shelf","price":7.5}"#])
        #expect(api.calls("PATCH v1/products/:id").map(\.body) == [#"{"availability":"sold-out"}"#])
    }

    @Test("A cached list is asked for again after five minutes, or a change that may have been made")
    func cached() async throws {
        let (server, clock) = (ProductServer(), FixedClock())
        let api = server.client()
        let host = try await TestHost(CatalogModule.self, environment: .live, api: api)
        let service = CachedProductService(try host.container.service(), clock: clock)
        let asked = { api.calls("GET v1/products").count }

        _ = try await service.page(RecordQuery())
        clock.advance(seconds: 299)
        _ = try await service.page(RecordQuery())
        #expect(asked() == 1)
        clock.advance(seconds: 1)
        _ = try await service.page(RecordQuery())
        #expect(asked() == 2)

        await server.loseAnswers()
        await #expect(throws: APIError.self) { try await service.create(Self.shelf) }
        #expect(try await service.page(RecordQuery()).rows.map(\.name) == ["Shelf"])
        #expect(asked() == 3)
    }
}

/// A server of products, behind scripted answers.
actor ProductServer {
    private var products: [Product] = []
    private var losesAnswers = false

    nonisolated func client() -> ScriptedAPIClient {
        let api = ScriptedAPIClient(tokens: AccessTokens(id: "1", accessToken: "a"))
        api.reply("GET v1/products") { _ in await self.list() }
        api.reply("GET v1/products/:id") { call in try await self.product(call).json }
        api.reply("POST v1/products") { call in try await self.add(call) }
        api.reply("PATCH v1/products/:id") { call in try await self.change(call) }
        return api
    }

    func loseAnswers() { losesAnswers = true }

    private func list() -> String {
        #"{"rows":[\#(products.map(\.json).joined(separator: ","))],"total":\#(products.count)}"#
    }

    private func product(_ call: ScriptedCall) throws -> Product {
        guard let product = products.first(where: { "\($0.id)" == call.call.values["id"] }) else {
            throw refusal(404)
        }
        return product
    }

    private func add(_ call: ScriptedCall) throws -> String {
        var added = try Product().taking(call.body)
        guard !products.contains(where: { $0.name.uppercased() == added.name.uppercased() }) else {
            throw refusal(409)
        }
        added.id = products.count + 1
        products.append(added)
        if losesAnswers { throw refusal(500) }
        return added.json
    }

    private func change(_ call: ScriptedCall) throws -> String {
        let changed = try product(call).taking(call.body)
        products[changed.id - 1] = changed
        return changed.json
    }

    private func refusal(_ status: Int) -> APIError {
        APIError.serverError(code: status, message: "Refused.", status: status)
    }
}

extension Product {
    /// The product as the server sends it.
    fileprivate var json: String { JSONValue.object(exchanged).serialized }

    /// The product with what the body of a request changes.
    fileprivate func taking(_ body: String) throws -> Product {
        let members = try JSONDecoder().decode(JSONObject.self, from: Data(body.utf8))
        var product = self
        for field in Self.fields.all {
            guard let value = members[field.name] else { continue }
            try field.set(&product, to: value.text ?? value.serialized)
        }
        return product
    }
}

extension JSONValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
