import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

@Suite("The rules of a purchase") @MainActor
struct PurchaseProductTests {
    private let container: TestContainer
    private let offers = MockOffers()
    private let orders: OrderRepository
    private let wallets: any WalletRepository

    init() throws {
        container = try TestContainer(ShopModule.self, session: TestSession(.ada))
        orders = try container.repository()
        wallets = try container.repository()
    }

    private func purchase(_ offer: Offer, _ quantity: Int = 1) async throws -> Order {
        let purchase = PurchaseWithCard(browse: offers.browse, wallets: wallets, orders: orders)
        return try await purchase(offer, quantity: quantity)
    }

    /// What was ordered.
    private var ordered: [MockBehavior.Call] {
        container.mock("OrderService")?.calls.filter { $0.name == "create" } ?? []
    }

    @Test("What is available, within the limit and can be paid is ordered")
    func buy() async throws {
        let order = try await purchase(lamp, 2)

        #expect(order.product == "Blue lamp" && order.quantity == 2 && order.paid == Money(hundredths: 9_800))
        #expect(order.at == container.clock.now())
        #expect(try await orders.all() == [order])
    }

    @Test("The limit itself can be spent, and no more")
    func limit() async throws {
        try await wallets.setLimit(98)
        _ = try await purchase(lamp, 2)

        await #expect(throws: ServiceError.overLimit(98)) { try await purchase(lamp, 3) }

        #expect(ordered.count == 1)
    }

    @Test("A limit that can't be is not stored", arguments: [0, 10_001])
    func wrongLimit(_ euros: Int) async throws {
        let error = await #expect(throws: ValidationError.self) { try await wallets.setLimit(euros) }

        #expect(error?.findings.map(\.field) == ["limit"])
        #expect(container.mock("WalletService")?.calls.isEmpty == true)
    }

    @Test("What is sold out is not ordered")
    func soldOut() async throws {
        await #expect(throws: ServiceError.soldOut(desk)) { try await purchase(desk) }
        #expect(ordered.isEmpty)
    }

    @Test("What was sold out or became dearer since it was shown is not ordered")
    func changed() async throws {
        let dearer: Offer = (id: 2, name: "Blue lamp", cents: 5_900, isAvailable: true)
        offers.offers = [dearer]
        await #expect(throws: ServiceError.priceChanged(dearer)) { try await purchase(lamp) }

        offers.offers = []
        await #expect(throws: ServiceError.noOffer(2)) { try await purchase(lamp) }

        #expect(ordered.isEmpty)
    }

    @Test("Without a payment method nothing is ordered")
    func noCard() async throws {
        let database = try TestDatabase(ShopModule.self)
        try container.override((any WalletService).self) {
            LocalWalletService(database: database, limit: 500)
        }
        let purchase = PurchaseWithCard(
            browse: offers.browse, wallets: try container.repository(), orders: orders)

        await #expect(throws: ServiceError.noCard) { try await purchase(lamp, quantity: 1) }
        #expect(ordered.isEmpty)
    }

    @Test("An expired card buys nothing")
    func expired() async throws {
        _ = try container.service((any WalletService).self)
        container.mock("WalletService")?.scenario = MockScenario(.edge)

        let error = await #expect(throws: ServiceError.self) { try await purchase(lamp) }

        #expect(error?.message == "Your card ending in 0005 expired at the end of 01/00.")
        #expect(ordered.isEmpty)
    }

    @Test("Nobody buys without being signed in")
    func guest() async throws {
        container.session.writer.signOut()

        await #expect(throws: ServiceError.notAuthenticated) { try await purchase(lamp) }
        #expect(ordered.isEmpty)
    }

    @Test("A quantity is from 1 to 100", arguments: [0, -1, 101])
    func quantity(_ quantity: Int) async throws {
        try await wallets.setLimit(10_000)

        await #expect(throws: ValidationError.self) { try await purchase(lamp, quantity) }
        #expect(ordered.isEmpty)
    }

    @Test("An order that is not stored is an error, and none of the orders")
    func failure() async throws {
        _ = try container.service((any RecordService<Order>).self)
        container.mock("OrderService")?.failNext(
            with: ServiceError.unavailable("The order service", mock: "OrderService"))

        await #expect(throws: ServiceError.self) { try await purchase(lamp) }

        #expect(try await orders.all().isEmpty)
    }
}
