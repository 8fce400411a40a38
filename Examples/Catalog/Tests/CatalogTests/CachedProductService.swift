import AtriumKit

@testable import Catalog

/// Another implementation, whose lists are kept for some minutes, or until they are changed here.
struct CachedProductService: RecordService {
    private let source: any RecordService<Product>
    private let cache: Cache<RecordQuery<Product>, RecordPage<Product>>

    init(_ source: any RecordService<Product>, clock: any WallClock) {
        self.source = source
        cache = Cache(lifetime: .seconds(300), clock: clock)
    }

    func page(_ query: RecordQuery<Product>) async throws -> RecordPage<Product> {
        try await cache.value(query) { try await source.page(query) }
    }

    func create(_ product: Product) async throws -> Product {
        // Also after an error: it may have been created.
        defer { cache.invalidateAll() }
        return try await source.create(product)
    }

    func update(_ id: Int, _ changes: RecordChanges<Product>) async throws -> Product {
        defer { cache.invalidateAll() }
        return try await source.update(id, changes)
    }

    func delete(_ id: Int) async throws -> Product? {
        defer { cache.invalidateAll() }
        return try await source.delete(id)
    }

    func record(_ id: Int) async throws -> Product { try await source.record(id) }
}
