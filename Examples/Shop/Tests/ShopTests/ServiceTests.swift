import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// One contract, every implementation.
@Suite("Every wallet and order service") @MainActor
struct ServiceTests {
    enum Store: CaseIterable, Sendable {
        case mock, local

        @MainActor
        func wallets() throws -> any WalletService {
            switch self {
            case .mock: try TestContainer(ShopModule.self).service()
            case .local: LocalWalletService(database: try TestDatabase(ShopModule.self), limit: 500)
            }
        }

        @MainActor
        func orders() throws -> any OrderService {
            switch self {
            case .mock: try TestContainer(ShopModule.self).service()
            case .local: LocalOrderService(database: try TestDatabase(ShopModule.self))
            }
        }
    }

    @Test("A saved card is that of its account, and replaces the former one", arguments: Store.allCases)
    func card(_ store: Store) async throws {
        let wallets = try store.wallets()
        let other = try await wallets.wallet(of: "grace")

        try await wallets.save(.visa, of: "ada")
        try await wallets.save(.expired, of: "ada")

        #expect(try await wallets.wallet(of: "ada") == Wallet(card: .expired, limit: 500))
        #expect(try await wallets.wallet(of: "grace") == other)
    }

    @Test("A limit is that of its account, and leaves the card", arguments: Store.allCases)
    func limit(_ store: Store) async throws {
        let wallets = try store.wallets()
        try await wallets.save(.visa, of: "ada")

        try await wallets.setLimit(20, of: "ada")

        #expect(try await wallets.wallet(of: "ada") == Wallet(card: .visa, limit: 20, hasOwnLimit: true))
        #expect(try await wallets.wallet(of: "grace").limit == 500)
    }

    @Test("Orders are those of their account, the newest first", arguments: Store.allCases)
    func orders(_ store: Store) async throws {
        let orders = try store.orders()
        let now = FixedClock().now()

        let first = try await orders.create(.lamp, quantity: 2, at: now, of: "ada")
        let other = try await orders.create(.lamp, quantity: 1, at: now, of: "grace")
        let second = try await orders.create(.desk, quantity: 1, at: now.adding(seconds: 1), of: "ada")

        #expect(first.cents == 9_800 && Set([first.id, other.id, second.id]).count == 3)
        #expect(try await orders.orders(of: "ada") == [second, first])
        #expect(try await orders.orders(of: "grace") == [other])
    }
}
