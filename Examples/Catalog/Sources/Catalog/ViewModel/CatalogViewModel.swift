import AtriumKit
import Observation

/// The products that are listed, and what can be done with them.
@MainActor
@Observable
final class CatalogViewModel: ViewModel {
    private(set) var shown: CatalogDestination
    private(set) var rows: [Product] = []
    private let find: any FindProducts
    private let products: RecordRepository<Product>

    init(_ destination: CatalogDestination, find: any FindProducts, products: RecordRepository<Product>) {
        shown = destination
        self.find = find
        self.products = products
        products.changes.reload(self) { try await $0.load() }
    }

    func price(of product: Product) -> String { "\(product.price.displayText) €" }

    func load() async throws {
        let asked = shown
        let found = try await find(search: asked.search, filters: asked.filters)
        // Another list may have been shown meanwhile.
        if asked == shown { rows = found }
    }

    func list(search: String?, availability: Availability?) async throws -> ActionResult {
        var next = CatalogDestination()
        next.search = search?.trimmed.nilIfEmpty
        next.filters["availability"] = availability?.rawValue
        rows = try await find(search: next.search, filters: next.filters)
        shown = next
        return .updated
    }

    func add(_ name: String, price: Money) async throws -> ActionResult {
        let added = try await products.create(Product(name: name, price: price))
        return await .made("Added '\(added.name)' for \(self.price(of: added)).") { try await load() }
    }

    func mark(_ id: Int, _ availability: Availability) async throws -> ActionResult {
        let product = try await products.record(id)
        var marked = product
        marked.availability = availability
        _ = try await products.update(marked, from: product)
        return await .made("Product \(id) is \(availability.displayText).") { try await load() }
    }

    /// The link of what is shown, which the stack entry keeps.
    var shownDestination: (any Destination)? { shown }
    var savedState: CatalogDestination { shown }
    func restore(_ state: CatalogDestination) { shown = state }
}
