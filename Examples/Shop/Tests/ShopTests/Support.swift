import AtriumKit
import AtriumTesting

@testable import Shop

extension SessionUser {
    static let ada = SessionUser(id: "ada", email: "ada@example.com")
}

let lamp: Offer = (id: 2, name: "Blue lamp", cents: 4_900, isAvailable: true)
let desk: Offer = (id: 3, name: "Old desk", cents: 25_050, isAvailable: false)

extension Expiry {
    init(_ text: String) { self = Expiry(rawValue: text)! }
}

/// Stands for Catalog, in a host: the lamp, and the desk that is sold out.
final class CatalogModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.contribute(to: .offers) { _ in { [lamp, desk] } }
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
@MainActor
final class MockOffers {
    var offers: [Offer]? = [lamp, desk]

    var browse: BrowseOffers {
        BrowseOffers(all: { [self] in
            guard let offers else { throw ServiceError.unavailable("The catalog", mock: "ProductService") }
            return offers
        })
    }
}

/// Stands for the wallet of the signed-in user, in a test of one type.
final class MockWallet: WalletRepository {
    var stored = Wallet(card: Card(lastDigits: "4242", expiry: Expiry("12/27")), limit: 500)
    var errorToThrow: ServiceError?
    private(set) var calls: [String] = []

    func wallet() async throws -> Wallet {
        try record("wallet")
        return stored
    }

    func check(_ total: Money) async throws { try record("check") }

    func save(_ number: CardNumber, _ expiry: Expiry) async throws {
        try record("save")
        stored.card = Card(lastDigits: number.lastDigits, expiry: expiry)
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
            id: 1, product: shown.name, quantity: quantity, paid: Money(hundredths: shown.cents) * quantity)
    }
}
