import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// One contract, every store.
@Suite("Every store of wallets and orders") @MainActor
struct ServiceTests {
    /// A host, and the repositories of a user in it.
    @MainActor
    private struct Site {
        let host: TestHost
        let clock = FixedClock()

        init(_ environment: Environment) async throws {
            host = try await TestHost(
                SessionModule.self, CatalogModule.self, ShopModule.self, environment: environment)
        }

        private func session(_ account: String) -> SessionWriter {
            TestSession(SessionUser(id: account, email: "a@example.com")).writer
        }

        func wallets(_ account: String) throws -> WalletRepository {
            WalletRepository(wallets: try host.container.service(), session: session(account), clock: clock)
        }

        func orders(_ account: String) throws -> OrderRepository {
            OrderRepository(orders: try host.container.service(), session: session(account), clock: clock)
        }
    }

    @Test(
        "A saved card is that of its account, in its case, and replaces the former one",
        arguments: [Environment.mock, .local])
    func card(_ environment: Environment) async throws {
        let site = try await Site(environment)

        try await site.wallets("ada").save(CardNumber("4242424242424242"), Expiry("12/27"))
        try await site.wallets("ada").save(CardNumber("4000056655665556"), Expiry("01/30"))

        let wallet = try await site.wallets("ada").wallet()
        #expect(wallet.card == "5556" && wallet.expires == Expiry("01/30"))
        #expect(wallet.limit == Money(hundredths: 50_000))
        #expect(try await site.wallets("ADA").wallet() == Wallet(account: "ADA"))
    }

    @Test("A limit is that of its account, and leaves the card", arguments: [Environment.mock, .local])
    func limit(_ environment: Environment) async throws {
        let site = try await Site(environment)
        try await site.wallets("ada").save(CardNumber("4242424242424242"), Expiry("12/27"))

        try await site.wallets("ada").setLimit(Money(hundredths: 2_000))

        let wallet = try await site.wallets("ada").wallet()
        #expect(wallet.card == "4242" && wallet.limit == Money(hundredths: 2_000))
        #expect(try await site.wallets("other").wallet().limit == Money(hundredths: 50_000))
    }

    @Test(
        "Orders are those of their account, in its case, the newest first",
        arguments: [Environment.mock, .local])
    func orders(_ environment: Environment) async throws {
        let site = try await Site(environment)

        let first = try await site.orders("ada").create(lamp, quantity: 2)
        let other = try await site.orders("ADA").create(lamp, quantity: 1)
        let second = try await site.orders("ada").create(desk, quantity: 1)

        #expect(first.paid == Money(hundredths: 9_800) && first.at == site.host.clock.now())
        #expect(Set([first.id, other.id, second.id]).count == 3)
        #expect(try await site.orders("ada").all() == [second, first])
        #expect(try await site.orders("ADA").all() == [other])
    }
}
