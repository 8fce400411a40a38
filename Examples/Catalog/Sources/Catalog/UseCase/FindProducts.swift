import AtriumKit

@MainActor
protocol FindProducts {
    /// The products that pass a filter, by name in any case; all products without one.
    func callAsFunction(_ filter: ProductFilter?) async throws -> [Product]
}

struct FindProductsInCatalog: FindProducts {
    let products: ProductRepository

    func callAsFunction(_ filter: ProductFilter?) async throws -> [Product] {
        try ValidationError.check(filter?.validate() ?? [])
        return try await products.all()
            .filter { filter?.matches($0) ?? true }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }
}
