import AtriumKit
import AtriumTesting
import Testing

@testable import Shop

/// Each view model: success, error, edge.
@Suite("View models of the shop") @MainActor
struct ViewModelTests {
    private let wallet = MockWallet()
    private let offers = MockOffers()
    private let purchase = MockPurchase()

    private func product(_ id: Int) -> ProductViewModel {
        ProductViewModel(id: id, browse: offers.browse, purchase: purchase)
    }

    // MARK: - The list

    @Test("The list has the offers with formatted prices")
    func list() async throws {
        let navigator = RecordingNavigator()
        let list = ShopViewModel(browse: offers.browse, navigator: navigator)

        try await list.load()
        _ = try await list.show(3)

        #expect(list.offers.map(list.price) == ["49.00 €", "250.50 €"])
        #expect(navigator.moves == ["shop/products/3"])
    }

    @Test("A list that can't be read is an error; an empty one is none")
    func failedList() async throws {
        let list = ShopViewModel(browse: offers.browse, navigator: RecordingNavigator())

        offers.offers = nil
        await #expect(throws: ServiceError.self) { try await list.load() }
        offers.offers = []
        try await list.load()

        #expect(list.offers.isEmpty)
    }

    // MARK: - A product

    @Test("The total follows the quantity, and the question names both")
    func total() async throws {
        let product = product(2)
        #expect(product.formattedTotal == nil && product.question == nil)
        try await product.load()

        _ = try product.choose(quantity: 100)

        #expect(product.formattedPrice == "49.00 €" && product.formattedTotal == "4900.00 €")
        #expect(product.question == "Buy 100 × 'Blue lamp' for 4900.00 €?")
    }

    @Test("A quantity that can't be stays away", arguments: [0, -1, 101])
    func quantity(_ quantity: Int) async throws {
        let product = product(2)

        let error = #expect(throws: ValidationError.self) { try product.choose(quantity: quantity) }

        #expect(error?.findings.first?.field == "quantity" && product.quantity == 1)
    }

    @Test("Nothing is bought before the purchase has succeeded, and it is made once")
    func confirmedOnly() async throws {
        let product = product(2)
        try await product.load()

        async let first = product.buy()
        await eventually { product.isBuying }
        await #expect { try await product.buy() } throws: { ($0 as? ServiceError)?.code == "isBeingBought" }
        purchase.outcome.settle(.success(()))

        #expect(try await first.message == "Bought 1 × 'Blue lamp' for 49.00 €.")
        #expect(purchase.calls == ["1 × Blue lamp"] && !product.isBuying)
    }

    @Test("A purchase that fails can be tried again")
    func failedPurchase() async throws {
        let product = product(2)
        try await product.load()
        purchase.outcome.settle(.failure(ServiceError.noCard))

        await #expect(throws: ServiceError.noCard) { try await product.buy() }

        #expect(!product.isBuying && product.quantity == 1)
    }

    @Test("A product that the catalog lacks is an error")
    func missing() async throws {
        let product = product(9)

        await #expect(throws: ServiceError.noOffer(9)) { try await product.load() }
        await #expect(throws: ServiceError.noOffer(9)) { try await product.buy() }

        #expect(purchase.calls.isEmpty)
    }

    @Test("What is kept with the stack entry is the quantity")
    func saved() throws {
        let (product, later) = (product(2), product(2))
        _ = try product.choose(quantity: 3)

        later.restore(product.savedState)

        #expect(later.quantity == 3)
    }

    // MARK: - Orders, payment, settings

    @Test("The total of all orders is formatted")
    func orders() async throws {
        // The user of environment mock, who has the orders of scenario edge.
        let user = SessionUser(id: "mock-ada", email: "ada@example.com")
        let container = try TestContainer(ShopModule.self, session: TestSession(user))
        let repository = try container.repository(OrderRepository.self)
        let screen = OrdersViewModel(repository: repository)
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
        let payment = WalletViewModel(wallets: wallet)
        try await payment.load()
        #expect(payment.method == "card ending in 4242" && payment.wallet?.card?.expiry.rawValue == "12/27")

        let result = try await payment.save("4000 0566 5566 5556", expires: Expiry("01/30"))

        #expect(result.message == "Saved the card ending in 5556.")
        #expect(payment.method == "card ending in 5556" && payment.wallet?.card?.expiry.rawValue == "01/30")
    }

    @Test("A card that is not saved is not shown")
    func failedPayment() async throws {
        let payment = WalletViewModel(wallets: wallet)
        wallet.stored.card = nil
        try await payment.load()
        wallet.errorToThrow = .unavailable("The payment service", mock: "WalletService")

        await #expect(throws: ServiceError.self) {
            try await payment.save("4242424242424242", expires: Expiry("01/30"))
        }

        #expect(payment.method == nil)
    }

    @Test("The limit is shown as money, and who set it")
    func settings() async throws {
        let settings = WalletViewModel(wallets: wallet)
        #expect(settings.limit == nil)
        try await settings.load()
        #expect(settings.limit == "500.00 €" && settings.setBy == "the host")

        let result = try await settings.setLimit(10_000)

        #expect(result.message == "A purchase may cost at most 10000.00 €.")
        #expect(settings.limit == "10000.00 €" && settings.setBy == "you")
        #expect(wallet.calls == ["wallet", "setLimit 10000", "wallet"])
    }

    @Test("A limit that is not saved is not shown")
    func failedSettings() async throws {
        let settings = WalletViewModel(wallets: wallet)
        try await settings.load()
        wallet.errorToThrow = .notAuthenticated

        await #expect(throws: ServiceError.notAuthenticated) { try await settings.setLimit(1) }

        #expect(settings.limit == "500.00 €")
    }

    /// Lets other tasks run until a condition holds.
    private func eventually(_ condition: () -> Bool) async {
        for _ in 0..<1_000 where !condition() { await Task.yield() }
        #expect(condition())
    }
}
