import AtriumKit

/// Another implementation, whose list is kept for some minutes, or until it is changed here.
struct CachedProductService: ProductService {
    static let lifetime = Duration.seconds(300)

    private let source: any ProductService
    private let cache: Cache<String, [Product]>

    init(_ source: any ProductService, clock: any WallClock) {
        self.source = source
        cache = Cache(lifetime: Self.lifetime, clock: clock)
    }

    func products() async throws -> [Product] {
        try await cache.value("products") { try await source.products() }
    }

    func add(_ draft: ProductDraft) async throws -> Product {
        // Also after an error: it may have been added.
        defer { cache.invalidateAll() }
        return try await source.add(draft)
    }

    func mark(_ id: Int, _ availability: Availability) async throws {
        defer { cache.invalidateAll() }
        try await source.mark(id, availability)
    }
}
