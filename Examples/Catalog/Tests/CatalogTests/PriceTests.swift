import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

@Suite("Prices") @MainActor
struct PriceTests {
    private let catalog: CatalogViewModel

    init() throws {
        catalog = try TestContainer(CatalogModule.self).viewModel(
            CatalogViewModel.self, CatalogDestination())
    }

    @Test(
        "An amount is written with two decimals, and a sign",
        arguments: [(1, "0.01 €"), (10, "0.10 €"), (4_900, "49.00 €"), (123_456_789, "1234567.89 €")])
    func written(_ cents: Int, _ text: String) {
        #expect(catalog.price(of: Product(price: Money(hundredths: cents))) == text)
    }

    @Test("A price is above nothing, and at most a million", arguments: [0, -1, 100_000_001])
    func range(_ cents: Int) {
        #expect(Product(name: "Shelf", price: Money(hundredths: cents)).validate().map(\.field) == ["price"])
        #expect(Product(name: "Shelf", price: Money(hundredths: 1)).validate() == [])
        #expect(Product(name: "Shelf", price: Money(hundredths: 100_000_000)).validate() == [])
    }

    @Test("What was typed is in the error, and nothing is added")
    func typed() async throws {
        let host = try await TestHost(CatalogModule.self)

        let error = await #expect(throws: ServiceError.self) { try await host.run("catalog add Shelf 49,00") }

        #expect(error?.message == "'price' of 'add' must be an amount such as 12.50, not '49,00'.")
        #expect(try await !host.run("catalog").text().contains("Shelf"))
    }
}
