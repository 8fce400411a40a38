import AtriumKit
import AtriumTesting
import Synchronization

@testable import Shop

extension SessionUser {
    /// The user of environment mock, who has a card.
    static let ada = SessionUser(id: "mock-ada", email: "ada@example.com")
    static let grace = SessionUser(id: "mock-grace", email: "grace@example.com")
}

let lamp: Offer = (id: 2, name: "Blue lamp", price: Money(hundredths: 4_900), isAvailable: true)
let desk: Offer = (id: 3, name: "Old desk", price: Money(hundredths: 25_050), isAvailable: false)

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

/// Stands for the table of orders, in a test of a purchase that takes long: a new one waits for its outcome.
final class WaitingOrders: RecordService {
    let outcome = Promise<Void>()
    private let created = Mutex<[Order]>([])
    var orders: [Order] { created.withLock { $0 } }

    func page(_ query: RecordQuery<Order>) async throws -> RecordPage<Order> {
        RecordPage(rows: orders, total: orders.count)
    }

    func create(_ record: Order) async throws -> Order {
        created.withLock { $0.append(record) }
        try await outcome.value()
        return record
    }

    func record(_ id: Int) async throws -> Order { throw ServiceError.notAuthenticated }
    func update(_ id: Int, _ changes: RecordChanges<Order>) async throws -> Order { try await record(id) }
    func delete(_ id: Int) async throws -> Order? { try await record(id) }
}
