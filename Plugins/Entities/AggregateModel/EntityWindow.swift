import AtriumKit

/// Consecutive pages of a list, as answered by the service.
struct EntityWindow: Hashable, Sendable {
    let query: EntityQuery
    private(set) var pageCount: Int
    private(set) var rows: [Entity]
    private(set) var total: Int
    /// The time when the oldest part was last seen at the service; nil if the service answered.
    private(set) var asOf: Timestamp?
    /// True if this matches the service's list, as long as no other process changes it.
    var isExact = true
    private var uncertain: Set<PendingChange.ID>

    init(_ page: Stale<EntityPage>, pending: Set<PendingChange.ID> = []) {
        query = page.value.query
        pageCount = 1
        rows = page.value.rows
        total = page.value.total
        asOf = page.asOf
        uncertain = pending
    }

    var hasMore: Bool { query.offset + rows.count < total }
    var lastPage: Int { query.page + pageCount - 1 }

    /// The page with the first entity after the window.
    ///
    /// After deletions it is a page that is already shown and must be read again.
    var pageBehind: Int { query.page + rows.count / query.size }

    /// The last entity before that page.
    var lastBeforePageBehind: Entity? { rows.dropLast(rows.count % query.size).last }

    /// Adds the next page, or replaces the part of the window that it repeats.
    mutating func append(_ page: Stale<EntityPage>, pending: Set<PendingChange.ID> = []) {
        let arrived = Set(page.value.rows.map(\.id))
        let kept = rows.prefix(page.value.query.offset - query.offset).filter { !arrived.contains($0.id) }
        // Another total, or an entity on two pages: the list was changed elsewhere between the pages.
        if page.value.total != total || kept.count != page.value.query.offset - query.offset {
            isExact = false
        }
        rows = kept + page.value.rows
        total = page.value.total
        pageCount = max(pageCount, page.value.query.page - query.page + 1)
        asOf = [asOf, page.asOf].compactMap { $0 }.min()
        uncertain.formUnion(pending)
    }

    // MARK: - Completed changes

    mutating func apply(_ settled: SettledChange) {
        let isCertain = settled.id.map { uncertain.remove($0) == nil } ?? true
        switch settled.change {
        case .created(let entity): add(entity, isCertain: isCertain)
        case .updated(let entity): update(entity, isCertain: isCertain)
        case .deleted(let entity): remove(entity, isCertain: isCertain)
        case .imported: isExact = false
        case nil: if settled.mayHaveChanged { isExact = false }
        }
        guard total < query.offset + rows.count else { return }
        // Another process has added entities.
        (total, isExact) = (query.offset + rows.count, false)
    }

    private mutating func add(_ entity: Entity, isCertain: Bool) {
        guard query.includes(entity) else { return }
        if let index = rows.firstIndex(where: { $0.id == entity.id }) { return rows[index] = entity }
        let index = index(for: entity, hasMore: hasMore)
        // An entity that belongs in the window but is missing was created after the page was read.
        guard isCertain || index != nil else { return isExact = false }
        if let index { rows.insert(entity, at: index) }
        total += 1
    }

    private mutating func update(_ entity: Entity, isCertain: Bool) {
        guard let index = rows.firstIndex(where: { $0.id == entity.id }) else {
            return appear(entity, isCertain: isCertain)
        }
        let hasMore = hasMore
        let former = rows.remove(at: index)
        guard query.includes(entity) else { return total -= 1 }
        let isEarlier = query.sort.isInOrder(entity, former)
        // An entity that keeps its order stays even at the window's ends, where its neighbours are unknown.
        if index == 0, !isEarlier, rows.first.map({ query.sort.isInOrder(entity, $0) }) ?? true {
            return rows.insert(entity, at: 0)
        }
        let isLater = query.sort.isInOrder(former, entity)
        if index == rows.count, !isLater, rows.last.map({ query.sort.isInOrder($0, entity) }) ?? true {
            return rows.append(entity)
        }
        if let index = self.index(for: entity, hasMore: hasMore) { rows.insert(entity, at: index) }
    }

    /// Adds an entity that was outside the window, or not in the list.
    private mutating func appear(_ entity: Entity, isCertain: Bool) {
        // A list without a filter had it before; with a filter, that is unknown.
        if query.isFiltered || !isCertain { isExact = false }
        guard query.includes(entity), let index = index(for: entity, hasMore: hasMore) else { return }
        rows.insert(entity, at: index)
        if query.isFiltered { total += 1 }
    }

    private mutating func remove(_ entity: Entity, isCertain: Bool) {
        if let index = rows.firstIndex(where: { $0.id == entity.id }) {
            rows.remove(at: index)
            total -= 1
        } else if query.includes(entity) {
            if isCertain { total = max(query.offset + rows.count, total - 1) } else { isExact = false }
            if query.offset > 0 { isExact = false }
        }
    }

    /// The index at which `entity` belongs; nil if it belongs, or may belong, outside the window.
    private mutating func index(for entity: Entity, hasMore: Bool) -> Int? {
        let index = rows.firstIndex { query.sort.isInOrder(entity, $0) } ?? rows.count
        if index == 0, query.offset > 0 {
            isExact = false
            return nil
        }
        return index == rows.count && hasMore ? nil : index
    }
}

// MARK: - Pending changes

extension EntityWindow {
    /// The rows with the pending changes; a changed entity keeps its index until the service has answered.
    func rows(during pending: [PendingChange]) -> [EntityRow] {
        var rows = rows.map { EntityRow($0) }
        for change in pending {
            if case .create(_, let provisional) = change.kind {
                guard query.includes(provisional) else { continue }
                let index = rows.firstIndex { query.sort.isInOrder(provisional, $0.entity) } ?? rows.count
                if index == rows.count, hasMore { continue }
                if index == 0, query.offset > 0 { continue }
                rows.insert(EntityRow(provisional, status: change.kind.status), at: index)
            } else if let index = rows.firstIndex(where: { $0.id == change.entityID }) {
                if let row = rows[index].during(change) { rows[index] = row } else { rows.remove(at: index) }
            }
        }
        return rows
    }

    func total(during pending: [PendingChange]) -> Int {
        total + rows(during: pending).count - rows.count
    }
}
