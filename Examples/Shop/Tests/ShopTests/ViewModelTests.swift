import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// Each view model: success, error, edge.
@Suite("View models of the shop") @MainActor
struct ViewModelTests {
    private let container: TestContainer
    private let offers = MockOffers()
    private let waiting = WaitingOrders()

    init() throws {
        container = try TestContainer(ShopModule.self, session: TestSession(.ada))
    }

    /// A product whose order waits.
    private func product(_ id: Int) throws -> ProductViewModel {
        let orders = OrderRepository(
            orders: waiting, session: container.session.writer, clock: container.clock)
        let purchase = PurchaseProduct(
            browse: offers.browse, wallets: try container.repository(), orders: orders)
        return ProductViewModel(id: id, browse: offers.browse, purchase: purchase)
    }

    private func account() throws -> AccountViewModel {
        try container.viewModel(AccountViewModel.self)
    }

    // MARK: - The list

    @Test("The list has the offers")
    func list() async throws {
        let list = ShopViewModel(browse: offers.browse)

        try await list.load()

        #expect(list.offers.map(\.id) == [2, 3])
        #expect(try ProductDetail(id: list.offers[1].id).link().description == "shop/products/3")
    }

    @Test("A list that can't be read is an error; an empty one is none")
    func failedList() async throws {
        let list = ShopViewModel(browse: offers.browse)

        offers.offers = nil
        await #expect(throws: ServiceError.self) { try await list.load() }
        offers.offers = []
        try await list.load()

        #expect(list.offers.isEmpty)
    }

    // MARK: - A product

    @Test("The total follows the quantity, and the question names both")
    func total() async throws {
        let product = try product(2)
        #expect(product.formattedTotal == nil && product.question == nil)
        try await product.load()

        _ = try product.choose(quantity: 100)

        #expect(product.formattedTotal == "4900.00 €")
        #expect(product.question == "Buy 100 × 'Blue lamp' for 4900.00 €?")
    }

    @Test("A quantity that can't be stays away", arguments: [0, -1, 101])
    func quantity(_ quantity: Int) async throws {
        let product = try product(2)

        let error = #expect(throws: ValidationError.self) { try product.choose(quantity: quantity) }

        #expect(error?.findings.first?.field == "quantity" && product.quantity == 1)
    }

    @Test("Nothing is bought before the purchase has succeeded, and it is made once")
    func confirmedOnly() async throws {
        let product = try product(2)
        try await product.load()

        async let first = product.buy()
        await eventually { !waiting.orders.isEmpty }
        #expect(product.isBuying)
        await #expect { try await product.buy() } throws: { ($0 as? ServiceError)?.code == "isBeingBought" }
        waiting.outcome.settle(.success(()))

        #expect(try await first.message == "Bought 1 × 'Blue lamp' for 49.00 €.")
        #expect(waiting.orders.map(\.product) == ["Blue lamp"] && !product.isBuying)
    }

    @Test("A purchase that fails can be tried again")
    func failedPurchase() async throws {
        let product = try product(2)
        try await product.load()
        waiting.outcome.settle(.failure(ServiceError.notAuthenticated))

        await #expect(throws: ServiceError.notAuthenticated) { try await product.buy() }

        #expect(!product.isBuying && product.quantity == 1)
    }

    @Test("A product that the catalog lacks is an error")
    func missing() async throws {
        let product = try product(9)

        await #expect(throws: ServiceError.self) { try await product.load() }
        let error = await #expect(throws: ServiceError.self) { try await product.buy() }

        #expect(error?.message == "The shop has no product 9." && waiting.orders.isEmpty)
    }

    @Test("What is kept with the stack entry is the quantity")
    func saved() throws {
        let (product, later) = (try product(2), try product(2))
        _ = try product.choose(quantity: 3)

        later.restore(product.savedState)

        #expect(later.quantity == 3)
    }

    // MARK: - The account

    @Test("The total of all orders is formatted")
    func orders() async throws {
        let repository = try container.repository(OrderRepository.self)
        let screen = try account()
        try await screen.load()
        #expect(screen.orders.isEmpty && screen.formattedTotal == "0.00 €")

        _ = try await repository.create(lamp, quantity: 2)
        _ = try await repository.create(desk, quantity: 1)
        try await screen.load()

        #expect(screen.orders.map(\.paid.euros) == ["250.50 €", "98.00 €"])
        #expect(screen.formattedTotal == "348.50 €")
        container.mock("OrderService")?.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.self) { try await screen.load() }
        container.mock("OrderService")?.scenario = MockScenario(.edge)
        try await screen.load()
        #expect(screen.formattedTotal == "100000000.00 €")
    }

    @Test("A saved card is shown by its last digits")
    func payment() async throws {
        let screen = try account()
        try await screen.load()
        #expect(screen.method == "card ending in 4242" && screen.wallet?.expires?.rawValue == "12/99")

        let result = try await screen.save("4000 0566 5566 5556", expires: Expiry("01/30"))

        #expect(result.message == "Saved the card ending in 5556.")
        #expect(screen.method == "card ending in 5556" && screen.wallet?.expires?.rawValue == "01/30")
    }

    @Test("A card that is not saved is not shown")
    func failedPayment() async throws {
        let screen = try account()
        try await screen.load()
        container.mock("WalletService")?.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.self) {
            try await screen.save("4000056655665556", expires: Expiry("01/30"))
        }

        #expect(screen.method == "card ending in 4242")
    }

    @Test("The limit is 500 € until the user sets another one")
    func limit() async throws {
        let screen = try account()
        try await screen.load()
        #expect(screen.wallet?.limit.euros == "500.00 €")

        let result = try await screen.setLimit(Money(hundredths: 1_000_000))

        #expect(result.message == "A purchase may cost at most 10000.00 €.")
        #expect(screen.wallet?.limit.euros == "10000.00 €" && screen.method == "card ending in 4242")
    }

    @Test("A limit that is not saved is not shown")
    func failedLimit() async throws {
        let screen = try account()
        try await screen.load()
        container.session.writer.signOut()

        await #expect(throws: ServiceError.notAuthenticated) {
            try await screen.setLimit(Money(hundredths: 100))
        }

        #expect(screen.wallet?.limit.euros == "500.00 €")
    }

    /// Lets other tasks run until a condition holds.
    private func eventually(_ condition: () -> Bool) async {
        for _ in 0..<1_000 where !condition() { await Task.yield() }
        #expect(condition())
    }
}
