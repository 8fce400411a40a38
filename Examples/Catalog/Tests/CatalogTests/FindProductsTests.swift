import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

@Suite("Finding products") @MainActor
struct FindProductsTests {
    private let container: TestContainer

    init() throws {
        container = try TestContainer(CatalogModule.self)
    }

    private func find(_ search: String? = nil, _ availability: Availability? = nil) async throws -> [String] {
        let find = try container.useCase((any FindProducts).self)
        let filters = availability.map { ["availability": $0.rawValue] } ?? [:]
        return try await find(search: search, filters: filters).map(\.name)
    }

    @Test("Without a filter, all products are found, by name")
    func noFilter() async throws {
        #expect(try await find() == ["Blue lamp", "Old desk", "Red chair"])
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
        #expect(try await find(search, availability) == names)
    }

    @Test("Names are sorted in any case, and none is left out")
    func sorting() async throws {
        let products = try container.repository(RecordRepository<Product>.self)
        for number in 1...501 { _ = try await products.create(Product(name: "copper \(number)")) }
        _ = try await products.create(Product(name: "azure"))

        let found = try await find()

        #expect(found.prefix(3) == ["azure", "Blue lamp", "copper 1"])
        #expect(found.suffix(2) == ["Old desk", "Red chair"] && found.count == 505)
    }

    @Test("The view model asks the protocol, so a test can put another search in its place")
    func injected() async throws {
        let catalog = CatalogViewModel(
            CatalogDestination(), find: NothingFound(), products: try container.repository())

        try await catalog.load()

        #expect(catalog.rows.isEmpty)
    }
}

private struct NothingFound: FindProducts {
    func callAsFunction(search: String?, filters: [String: String]) async throws -> [Product] { [] }
}
