@testable import AtriumKit
@testable import Entities

/// The design documents' sample code for optimistic changes and paging, to compare with `EntityModel`.
///
/// It rolls back by a saved index and skips a refresh while a page is loading. `trap` records an insertion
/// that would have crashed the process.
@MainActor
final class SeedEntityModel {
    var entities: [Entity] = []
    private(set) var trap: String?
    private(set) var isLoading = false
    private var hasMorePages = true
    private var currentPage = 0
    private let service: any RecordService<Entity>

    init(_ service: any RecordService<Entity>, _ entities: [Entity] = []) {
        self.service = service
        self.entities = entities
    }

    func update(_ entity: Entity) async {
        let originalIndex = entities.firstIndex { $0.id == entity.id }
        let original = originalIndex.map { entities[$0] }
        if let originalIndex { entities[originalIndex] = entity }
        do {
            let updated = try await service.update(entity.id, EntityChanges(name: entity.name))
            if let index = entities.firstIndex(where: { $0.id == entity.id }) { entities[index] = updated }
        } catch {
            guard let originalIndex, let original else { return }
            guard entities.indices.contains(originalIndex) else { return trap = "update \(entity.id)" }
            entities[originalIndex] = original
        }
    }

    func delete(_ entity: Entity) async {
        let originalIndex = entities.firstIndex { $0.id == entity.id }
        entities.removeAll { $0.id == entity.id }
        do {
            _ = try await service.delete(entity.id)
        } catch {
            guard let originalIndex else { return }
            guard originalIndex <= entities.count else { return trap = "delete \(entity.id)" }
            entities.insert(entity, at: originalIndex)
        }
    }

    func loadNextPage() async {
        guard !isLoading, hasMorePages else { return }
        isLoading = true
        defer { isLoading = false }
        guard let page = try? await service.page(EntityQuery(page: currentPage + 1, size: 2)).rows else {
            return
        }
        if page.isEmpty {
            hasMorePages = false
        } else {
            entities += page
            currentPage += 1
        }
    }

    func refresh() async {
        currentPage = 0
        hasMorePages = true
        entities = []
        await loadNextPage()
    }
}
