import AtriumKit
import AtriumTesting
import Testing

@testable import Catalog

@Suite("Prices")
struct PriceTests {
    @Test(
        "An amount is read as people type it",
        arguments: [
            ("49", 4_900), ("49.5", 4_950), ("49.00", 4_900), ("0.01", 1), ("0.1", 10), ("007.09", 709),
            ("9999999.99", 999_999_999),
        ])
    func read(_ text: String, _ cents: Int) {
        #expect(Price(text)?.cents == cents)
    }

    @Test(
        "Anything else is no amount",
        arguments: [
            "", ".", "49.", ".5", "49,00", "4.999", "1.2.3", "-1", "+1", "1e3", " 1", "0x10", "٤٩", "49 €",
            "10000000",
            "99999999999999999999",
        ])
    func noAmount(_ text: String) {
        #expect(Price(text) == nil)
    }

    @Test(
        "An amount is written with two decimals",
        arguments: [(1, "0.01"), (10, "0.10"), (4_900, "49.00"), (123_456_789, "1234567.89")])
    func written(_ cents: Int, _ text: String) {
        #expect(Price(cents: cents).decimal == text)
        #expect(Price(text) == Price(cents: cents))
    }

    @Test("A price is above nothing, and at most a million")
    func range() {
        #expect([1, 100_000_000].map { Price(cents: $0).validate().count } == [0, 0])
        #expect([0, -1, 100_000_001].map { Price(cents: $0).validate().count } == [1, 1, 1])
    }

    @Test("What was typed is in the error, and nothing is added") @MainActor
    func typed() async throws {
        let host = try await TestHost(CatalogModule.self)

        let error = await #expect(throws: ServiceError.self) { try await host.run("catalog add Shelf 49,00") }

        #expect(error?.message == "'price' of 'add' must be an amount such as 49.00, not '49,00'.")
        #expect(try await !host.run("catalog").text().contains("Shelf"))
    }
}
