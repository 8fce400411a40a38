import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

@Suite("Finding products") @MainActor
struct FindProductsTests {
    private func find(_ filter: ProductFilter?) async throws -> [String] {
        let container = try TestContainer(CatalogModule.self)
        let find = try container.useCase((any FindProducts).self)
        return try await find(filter).map(\.name)
    }

    @Test("Without a filter, all products are found, by name")
    func noFilter() async throws {
        #expect(try await find(nil) == ["Blue lamp", "Old desk", "Red chair"])
    }

    @Test(
        "Text and availability are combined; case does not matter",
        arguments: [
            (nil, nil, ["Blue lamp", "Old desk", "Red chair"]), ("L", nil, ["Blue lamp", "Old desk"]),
            ("LAMP", nil, ["Blue lamp"]), ("e l", nil, ["Blue lamp"]),
            (" ", nil, ["Blue lamp", "Old desk", "Red chair"]),
            (nil, .available, ["Blue lamp", "Red chair"]), (nil, .soldOut, ["Old desk"]),
            ("l", .available, ["Blue lamp"]), ("lamp", .soldOut, []), ("table", nil, []),
        ] as [(String?, Availability?, [String])])
    func truthTable(_ search: String?, _ availability: Availability?, _ names: [String]) async throws {
        #expect(try await find(ProductFilter(search: search, availability: availability)) == names)
    }

    @Test("Products whose names differ in case only are sorted by number")
    func sorting() async throws {
        let container = try TestContainer(CatalogModule.self)
        let products = try container.repository(ProductRepository.self)
        for name in ["blue LAMP", "azure"] {
            _ = try await products.add(ProductDraft(name: name, price: Price(cents: 1)))
        }

        let find = try container.useCase((any FindProducts).self)
        let found = try await find(nil).map(\.name)

        #expect(found == ["azure", "Blue lamp", "blue LAMP", "Old desk", "Red chair"])
    }

    @Test("The view model asks the protocol, so a test can put another search in its place")
    func injected() async throws {
        let container = try TestContainer(CatalogModule.self)
        let catalog = CatalogViewModel(
            CatalogDestination(), find: NothingFound(), repository: try container.repository())

        try await catalog.load()

        #expect(catalog.rows.isEmpty)
    }
}

private struct NothingFound: FindProducts {
    func callAsFunction(_ filter: ProductFilter?) async throws -> [Product] { [] }
}
