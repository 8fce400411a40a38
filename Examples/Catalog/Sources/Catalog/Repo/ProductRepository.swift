import AtriumKit

/// The products, and the rules for adding one.
@MainActor
final class ProductRepository {
    private let products: any ProductService
    /// Tells when products were changed, also by another host.
    let changes: ObserverList<DataChange>

    init(products: any ProductService, changes: ObserverList<DataChange> = ObserverList()) {
        self.products = products
        self.changes = changes
    }

    func all() async throws -> [Product] {
        try await products.products()
    }

    func add(_ draft: ProductDraft) async throws -> Product {
        try ValidationError.check(draft.validate())
        return try await products.add(draft)
    }

    func mark(_ id: Int, _ availability: Availability) async throws {
        try await products.mark(id, availability)
    }
}
