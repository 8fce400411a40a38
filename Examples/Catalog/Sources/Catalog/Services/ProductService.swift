/// Where products are kept.
protocol ProductService: Sendable {
    /// All products, in no order.
    func products() async throws -> [Product]
    /// Adds a product, unless there is one of its name.
    func add(_ draft: ProductDraft) async throws -> Product
    func mark(_ id: Int, _ availability: Availability) async throws
}
