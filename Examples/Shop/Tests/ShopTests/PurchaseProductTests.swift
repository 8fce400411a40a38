import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

@Suite("The rules of a purchase") @MainActor
struct PurchaseProductTests {
    private let container: TestContainer
    private let offers = MockOffers()
    private let orders: OrderRepository
    private let wallets: WalletRepository

    init() throws {
        container = try TestContainer(ShopModule.self, session: TestSession(.ada))
        orders = try container.repository()
        wallets = try container.repository()
    }

    private func purchase(_ offer: Offer, _ quantity: Int = 1) async throws -> Order {
        let purchase = PurchaseProduct(browse: offers.browse, wallets: wallets, orders: orders)
        return try await purchase(offer, quantity: quantity)
    }

    /// Expects that a purchase is refused, and orders nothing.
    private func expectRefusal(
        _ offer: Offer, quantity: Int = 1, _ code: ErrorCode, _ message: String,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let former = ordered.count

        let error = await #expect(throws: ServiceError.self, sourceLocation: location) {
            try await purchase(offer, quantity)
        }

        #expect(error?.code == code && error?.message == message, sourceLocation: location)
        #expect(ordered.count == former, sourceLocation: location)
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
        try await wallets.setLimit(Money(hundredths: 9_800))
        _ = try await purchase(lamp, 2)

        try await expectRefusal(
            lamp, quantity: 3, "overLimit", "The total is above your limit of 98.00 € for a purchase.")
    }

    @Test("A limit that can't be is not stored", arguments: [99, 1_000_001])
    func wrongLimit(_ cents: Int) async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await wallets.setLimit(Money(hundredths: cents))
        }

        #expect(error?.findings.map(\.field) == ["limit"])
        #expect(container.mock("WalletService")?.calls.map(\.name) == ["page"])
    }

    @Test("What is sold out is not ordered")
    func soldOut() async throws {
        try await expectRefusal(desk, "soldOut", "'Old desk' is sold out.")
    }

    @Test("What became dearer since it was shown, or is gone, is not ordered")
    func changed() async throws {
        offers.offers = [(id: 2, name: "Blue lamp", price: Money(hundredths: 5_900), isAvailable: true)]
        try await expectRefusal(
            lamp, "priceChanged", "The price of 'Blue lamp' has changed since it was shown.")

        offers.offers = []
        try await expectRefusal(lamp, .notFound, "The shop has no product 2.")
    }

    @Test("Without a payment method nothing is ordered")
    func noCard() async throws {
        let container = try TestContainer(ShopModule.self, session: TestSession(.grace))
        let purchase = PurchaseProduct(
            browse: offers.browse, wallets: try container.repository(), orders: try container.repository())

        let error = await #expect(throws: ServiceError.self) { try await purchase(lamp, quantity: 1) }

        #expect(error?.code == "noCard" && error?.message == "You have no payment method.")
        #expect(container.mock("OrderService")?.calls.isEmpty == true)
    }

    @Test("An expired card buys nothing")
    func expired() async throws {
        _ = try container.service((any RecordService<Wallet>).self)
        container.mock("WalletService")?.scenario = MockScenario(.edge)

        try await expectRefusal(
            lamp, "cardExpired", "Your card ending in 0005 expired at the end of 01/00.")
    }

    @Test("Nobody buys without being signed in, or once the session has ended", arguments: [false, true])
    func guest(_ hasEnded: Bool) async throws {
        if hasEnded { container.clock.advance(seconds: 86_401) } else { container.session.writer.signOut() }

        await #expect(throws: ServiceError.notAuthenticated) { try await purchase(lamp) }
        #expect(ordered.isEmpty)
    }

    @Test("A quantity is from 1 to 100", arguments: [0, -1, 101])
    func quantity(_ quantity: Int) async throws {
        try await wallets.setLimit(Money(hundredths: 1_000_000))

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
