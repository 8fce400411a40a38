import AtriumKit
import AtriumTesting

@testable import Shop

extension SessionUser {
    static let ada = SessionUser(id: "ada", email: "ada@example.com")
}

extension Offer {
    static let lamp = Offer(id: 2, name: "Blue lamp", cents: 4_900, isAvailable: true)
    static let desk = Offer(id: 3, name: "Old desk", cents: 25_050, isAvailable: false)
}

extension Card {
    static let visa = Card(lastDigits: "4242", expiry: Expiry(month: 12, year: 2027))
    static let expired = Card(lastDigits: "0005", expiry: Expiry(month: 12, year: 2025))
}

/// Stands for Catalog, in a host: the lamp, and the desk that is sold out.
final class CatalogModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.contribute(to: .offers) { _ in
            { [Offer.desk, .lamp].map { ($0.id, $0.name, $0.cents, $0.isAvailable) } }
        }
    }
}

/// Stands for Session, in a host.
final class SessionModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.contribute(to: .guards) { context in
            let session = context.session
            return NavigationGuard(.signedIn, "Somebody is signed in") { _ in
                session.isSignedIn ? .allow : .deny("The guard of Session refuses.")
            }
        }
    }
}

/// Stands for Catalog, in a test of one type; without offers it fails.
final class MockOffers: BrowseOffers {
    var offers: [Offer]?

    init(_ offers: [Offer]? = [.lamp, .desk]) {
        self.offers = offers
    }

    func all() async throws -> [Offer] {
        guard let offers else { throw ServiceError.unavailable("The catalog", mock: "ProductService") }
        return offers
    }

    func offer(_ id: Int) async throws -> Offer {
        guard let offer = try await all().first(where: { $0.id == id }) else {
            throw ServiceError.noOffer(id)
        }
        return offer
    }
}

/// Stands for the wallet of the signed-in person, in a test of one type.
final class MockWallet: WalletRepository {
    var stored = Wallet(card: .visa, limit: 500)
    var errorToThrow: ServiceError?
    private(set) var calls: [String] = []

    func wallet() async throws -> Wallet {
        try record("wallet")
        return stored
    }

    func payingWallet() async throws -> Wallet {
        try record("payingWallet")
        return stored
    }

    func save(_ draft: CardDraft) async throws -> Card {
        try record("save")
        stored.card = draft.card
        return draft.card
    }

    func setLimit(_ euros: Int) async throws {
        try record("setLimit \(euros)")
        (stored.limit, stored.hasOwnLimit) = (euros, true)
    }

    private func record(_ call: String) throws {
        calls.append(call)
        if let errorToThrow { throw errorToThrow }
    }
}

/// Stands for the purchase, in a test of a view model: waits until it is told how to go on.
final class MockPurchase: PurchaseProduct {
    private(set) var calls: [String] = []
    let outcome = Promise<Void>()

    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order {
        calls.append("\(quantity) × \(shown.name)")
        guard calls.count == 1 else { throw ServiceError("twice", "There was a second purchase.") }
        try await outcome.value()
        return Order(
            id: 1, product: shown.name, quantity: quantity, cents: shown.cents * quantity,
            at: FixedClock().now())
    }
}
