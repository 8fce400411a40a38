import AtriumKit
import Observation

/// The list of products.
@MainActor
@Observable
final class CatalogViewModel: ViewModel {
    private(set) var products: [Product] = []
    private let repository: ProductRepository

    init(repository: ProductRepository) {
        self.repository = repository
    }

    func load() async throws {
        products = try await repository.all()
    }

    func add(name: String, cents: Int) async throws -> ActionResult {
        try await repository.add(Product(name: name, cents: cents))
        try await load()
        return .updated("Added '\(name)'.")
    }
}
