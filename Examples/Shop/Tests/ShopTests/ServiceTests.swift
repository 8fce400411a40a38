import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// One contract, every store.
@Suite("Every store of wallets and orders") @MainActor
struct ServiceTests {
    private let clock = FixedClock()

    private func host(_ environment: Environment) async throws -> TestHost {
        try await TestHost(
            SessionModule.self, CatalogModule.self, ShopModule.self, environment: environment)
    }

    private func wallets(_ host: TestHost, of account: String) throws -> AccountWalletRepository {
        AccountWalletRepository(
            wallets: try host.container.service(), limits: try host.container.service(),
            session: TestSession(SessionUser(id: account, email: "a@example.com")).writer, clock: clock)
    }

    @Test(
        "A saved card is that of its account, and replaces the former one",
        arguments: [Environment.mock, .local])
    func card(_ environment: Environment) async throws {
        let host = try await host(environment)
        let (ada, other) = (try wallets(host, of: "ada"), try wallets(host, of: "other"))

        _ = try await ada.save(CardNumber("4242 4242-4242 4242"), Expiry("12/27"))
        _ = try await ada.save(CardNumber("4000056655665556"), Expiry("01/30"))

        let wallet = try await ada.wallet()
        #expect(wallet.card == "5556" && wallet.expires?.rawValue == "01/30")
        #expect(try await other.wallet().card == nil)
    }

    @Test("A limit is that of its account, and leaves the card", arguments: [Environment.mock, .local])
    func limit(_ environment: Environment) async throws {
        let host = try await host(environment)
        let (ada, other) = (try wallets(host, of: "ada"), try wallets(host, of: "other"))
        _ = try await ada.save(CardNumber("4242424242424242"), Expiry("12/27"))

        try await ada.setLimit(20)

        #expect(try await ada.wallet().card == "4242")
        #expect(try await ada.limit(of: try await ada.wallet()) == 20)
        #expect(try await other.limit(of: try await other.wallet()) == 500)
    }

    @Test("Orders are those of their account, the newest first", arguments: [Environment.mock, .local])
    func orders(_ environment: Environment) async throws {
        let host = try await host(environment)
        func orders(_ account: String) throws -> OrderRepository {
            OrderRepository(
                orders: try host.container.service(),
                session: TestSession(SessionUser(id: account, email: "a@example.com")).writer, clock: clock)
        }

        let first = try await orders("ada").create(lamp, quantity: 2)
        let other = try await orders("other").create(lamp, quantity: 1)
        let second = try await orders("ada").create(desk, quantity: 1)

        #expect(first.paid == Money(hundredths: 9_800) && first.at == clock.now())
        #expect(try await orders("ada").all() == [second, first])
        #expect(try await orders("other").all() == [other])
    }
}
