import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// One contract, every store.
@Suite("Every store of wallets and orders") @MainActor
struct ServiceTests {
    private func host(_ environment: Environment) async throws -> TestHost {
        try await TestHost(
            SessionModule.self, CatalogModule.self, ShopModule.self, environment: environment)
    }

    @Test(
        "A saved card is that of its account, and replaces the former one",
        arguments: [Environment.mock, .local])
    func card(_ environment: Environment) async throws {
        let host = try await host(environment)
        let wallets: any WalletService = try host.container.service()
        let other = try await wallets.wallet(of: "other")

        try await wallets.save(
            Card(lastDigits: "4242", expiry: Expiry("12/27")), limit: nil, of: "ada")
        let card = Card(lastDigits: "5556", expiry: Expiry("01/30"))
        try await wallets.save(card, limit: nil, of: "ada")

        #expect(try await wallets.wallet(of: "ada") == Wallet(card: card, limit: 500))
        #expect(try await wallets.wallet(of: "other") == other)
    }

    @Test("A limit is that of its account, and leaves the card", arguments: [Environment.mock, .local])
    func limit(_ environment: Environment) async throws {
        let host = try await host(environment)
        let wallets: any WalletService = try host.container.service()
        let card = Card(lastDigits: "4242", expiry: Expiry("12/27"))
        try await wallets.save(card, limit: nil, of: "ada")

        try await wallets.save(nil, limit: 20, of: "ada")

        #expect(
            try await wallets.wallet(of: "ada") == Wallet(card: card, limit: 20, hasOwnLimit: true))
        #expect(try await wallets.wallet(of: "other").limit == 500)
    }

    @Test(
        "Orders are those of their account, in its case, the newest first",
        arguments: [Environment.mock, .local])
    func orders(_ environment: Environment) async throws {
        let (host, clock) = (try await host(environment), FixedClock())
        func orders(_ account: String) throws -> OrderRepository {
            OrderRepository(
                orders: try host.container.service(),
                session: TestSession(SessionUser(id: account, email: "a@example.com")).writer,
                clock: clock)
        }

        let first = try await orders("ada").create(lamp, quantity: 2)
        let other = try await orders("ADA").create(lamp, quantity: 1)
        clock.advance(seconds: 1)
        let second = try await orders("ada").create(desk, quantity: 1)

        #expect(first.paid == Money(hundredths: 9_800) && first.at == FixedClock().now())
        #expect(Set([first.id, other.id, second.id]).count == 3)
        #expect(try await orders("ada").all() == [second, first])
        #expect(try await orders("ADA").all() == [other])
    }
}
