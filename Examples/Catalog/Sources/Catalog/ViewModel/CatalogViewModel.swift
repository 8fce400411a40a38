import AtriumKit
import Observation

/// The products that pass a filter.
@MainActor
@Observable
final class CatalogViewModel: ViewModel {
    private(set) var filter: ProductFilter
    private(set) var products: [Product] = []
    private let find: any FindProducts
    private let repository: ProductRepository

    init(_ destination: CatalogDestination, find: any FindProducts, repository: ProductRepository) {
        filter = ProductFilter(search: destination.search, availability: destination.availability)
        self.find = find
        self.repository = repository
        repository.changes.reload(self) { try await $0.load() }
    }

    var rows: [ProductRow] { products.map(ProductRow.init) }

    func load() async throws {
        products = try await find(filter)
    }

    func list(search: String?, availability: Availability?) async throws -> ActionResult {
        let filter = ProductFilter(search: search, availability: availability)
        products = try await find(filter)
        self.filter = filter
        return .updated
    }

    func add(name: String, price: Price) async throws -> ActionResult {
        let product = try await repository.add(ProductDraft(name: name, price: price))
        return await .made("Added '\(product.name)' for \(ProductRow(product).price).") { try await load() }
    }

    func mark(_ id: Int, _ availability: Availability) async throws -> ActionResult {
        try await repository.mark(id, availability)
        return await .made("Product \(id) is \(availability.words).") { try await load() }
    }
}

extension CatalogViewModel {
    /// What the stack entry keeps.
    var savedState: ProductFilter { filter }

    func restore(_ state: ProductFilter) { filter = state }

    /// The link of what is shown now.
    var shownDestination: (any Destination)? {
        CatalogDestination(search: filter.search, availability: filter.availability)
    }
}
