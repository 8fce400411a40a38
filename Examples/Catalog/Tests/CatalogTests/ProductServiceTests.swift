import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

/// One contract, every implementation.
@Suite("Every product service") @MainActor
struct ProductServiceTests {
    enum Store: CaseIterable, Sendable {
        case mock, local

        @MainActor
        func make() throws -> any ProductService {
            switch self {
            case .mock: try TestContainer(CatalogModule.self).service()
            case .local: LocalProductService(database: try TestDatabase(CatalogModule.self))
            }
        }
    }

    @Test("An added product can be read", arguments: Store.allCases)
    func add(_ store: Store) async throws {
        let service = try store.make()

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
}
