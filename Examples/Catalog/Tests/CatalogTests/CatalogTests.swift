import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

@Suite("The catalog's screen") @MainActor
struct CatalogTests {
    private let container: TestContainer
    private let catalog: CatalogViewModel

    init() throws {
        container = try TestContainer(CatalogModule.self)
        catalog = try container.viewModel(CatalogViewModel.self, CatalogDestination())
    }

    @Test("It keeps what every module has to")
    func conforms() async throws { try await ModuleConformance.run(CatalogModule.self) }

    @Test("The list has the products by name, with formatted prices")
    func list() async throws {
        try await catalog.load()

        #expect(catalog.rows.map(\.name) == ["Blue lamp", "Old desk", "Red chair"])
        #expect(catalog.rows.map(catalog.price) == ["49.00 €", "250.50 €", "120.00 €"])
        #expect(catalog.rows.map(\.availability.displayText) == ["available", "sold out", "available"])
    }

    @Test("A filter has a link")
    func link() async throws {
        _ = try await catalog.list(search: " LAMP ", availability: .available)

        let shown = try #require(catalog.shownDestination as? CatalogDestination)
        let later = try container.viewModel(CatalogViewModel.self, shown)
        try await later.load()

        #expect(shown.search == "LAMP")
        #expect(later.rows.map(\.name) == ["Blue lamp"])
    }

    @Test("A filter survives a restart")
    func filter() async throws {
        let host = try await TestHost(CatalogModule.self)
        try await host.run("open catalog; list --search lamp")

        try await host.restart()
        let marked = try await host.run("mark 2 sold-out")

        #expect(marked.text().contains("Blue lamp  49.00 €  sold out"))
        #expect(!marked.text().contains("Red chair"))
    }

    @Test("A search text that is too long does not reach the service")
    func longSearch() async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await catalog.list(search: String(repeating: "x", count: 101), availability: nil)
        }

        #expect(error?.message == "The search text may have at most 100 characters, not 101.")
        #expect(catalog.shown == CatalogDestination())
        #expect(container.mock("ProductService")?.calls.isEmpty == true)
    }

    @Test("A filter whose list can't be read is not kept, and the hint ends the error")
    func failedFilter() async throws {
        try await catalog.load()
        container.mock("ProductService")?.scenario = MockScenario(.error)

        let error = await #expect(throws: ServiceError.self) {
            try await catalog.list(search: "lamp", availability: nil)
        }

        #expect(error?.message == "The product service does not answer.")
        #expect(error?.hint == "mock set ProductService success")
        #expect(catalog.shown == CatalogDestination() && catalog.rows.count == 3)
    }

    @Test("An added product is in the list")
    func add() async throws {
        let result = try await catalog.add(" Shelf ", price: Money(hundredths: 750))

        #expect(result.message == "Added 'Shelf' for 7.50 €.")
        #expect(catalog.rows.last?.name == "Shelf")
    }

    @Test("A service that does not answer is an error, and the hint ends it")
    func failedLoad() async throws {
        container.mock("ProductService")?.scenario = MockScenario(.error)

        let error = await #expect(throws: ServiceError.self) { try await catalog.load() }

        #expect(error?.message == "The product service does not answer.")
        #expect(error?.hint == "mock set ProductService success")
    }

    @Test("A product is not added twice, in any case")
    func duplicate() async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await catalog.add("blue LAMP", price: Money(hundredths: 1))
        }

        #expect(error?.findings.map(\.field) == ["name"])
        #expect(error?.message == "There is a product with the name 'blue LAMP' already.")
    }

    @Test("A product that does not exist can't be marked")
    func markMissing() async throws {
        let error = await #expect(throws: ServiceError.self) { try await catalog.mark(9, .soldOut) }

        #expect(error == .noRecord(Product.self, 9))
    }

    @Test("A product with a mistake does not reach the service")
    func mistakes() async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await catalog.add(" ", price: Money(hundredths: 0))
        }

        #expect(error?.findings.map(\.field) == ["name", "price"])
        #expect(error?.message == "The name is empty. The price must be from 0.01 to 1000000.00.")
        #expect(container.mock("ProductService")?.calls.isEmpty == true)
    }

    @Test("A product that is sold out stays in the list")
    func mark() async throws {
        let result = try await catalog.mark(2, .soldOut)

        #expect(result.message == "Product 2 is sold out.")
        #expect(catalog.rows.map(\.availability) == [.soldOut, .soldOut, .available])
    }

    @Test("What can be bought is not deleted")
    func onSale() async throws {
        let products = try container.repository(RecordRepository<Product>.self)

        let error = await #expect(throws: ServiceError.self) { try await products.delete(2) }
        try await products.delete(3)
        try await catalog.load()

        #expect(error?.message == "'Blue lamp' is not sold out.")
        #expect(catalog.rows.map(\.id) == [2, 1])
    }

    @Test("Scenario edge has names and prices at their limits")
    func edge() async throws {
        container.mock("ProductService")?.scenario = MockScenario(.edge)

        try await catalog.load()

        #expect(catalog.rows.map(\.name.count) == [100, 1])
        #expect(catalog.rows.map(catalog.price) == ["1000000.00 €", "0.01 €"])
    }

    @Test("Scenario slow waits half a second, which a test does not")
    func slow() async throws {
        let waited = Promise<Duration>()
        let container = try TestContainer(
            CatalogModule.self, sleep: { waited.settle(.success($0)) })
        let catalog = try container.viewModel(CatalogViewModel.self, CatalogDestination())
        container.mock("ProductService")?.scenario = MockScenario(.slow, delay: .milliseconds(500))

        try await catalog.load()

        #expect(try await waited.value() == .milliseconds(500))
        #expect(catalog.rows.count == 3)
    }

    @Test("The mock records each call with its arguments")
    func calls() async throws {
        _ = try await catalog.add("Shelf", price: Money(hundredths: 750))

        let calls = try #require(container.mock("ProductService")).calls
        #expect(calls.first?.name == "create" && calls.first?.arguments["name"] == "Shelf")
        #expect(Set(calls.dropFirst().map(\.name)) == ["page"])
    }

    @Test("Other modules get what can be bought")
    func offers() async throws {
        let offers = try container.contributions(to: .offers)

        let found = try await offers[0].value()

        #expect(offers.map(\.module) == ["Catalog"])
        #expect(found.map(\.name) == ["Blue lamp", "Old desk", "Red chair"])
        #expect(found.map(\.price.hundredths) == [4_900, 25_050, 12_000])
        #expect(found.map(\.isAvailable) == [true, false, true])
    }
}
