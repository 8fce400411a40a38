import AtriumKit

/// The products, and the rule that a price is positive.
@MainActor
final class ProductRepository {
    private let products: any ProductService

    init(products: any ProductService) {
        self.products = products
    }

    func all() async throws -> [Product] {
        try await products.products()
    }

    func add(_ product: Product) async throws {
        guard product.cents > 0 else {
            throw ProductError(message: "The price must be more than 0, not \(product.cents).")
        }
        try await products.add(product)
    }
}
