import AtriumKit

/// The consecutive pages of a list that were read, as the service answered them.
struct EntityWindow: Hashable, Sendable {
    /// What is listed; its page is the first one.
    let query: EntityQuery
    /// How many pages are shown, at least one.
    private(set) var pageCount: Int
    private(set) var rows: [Entity]
    /// How many entities the whole list has.
    private(set) var total: Int
    /// When the oldest part was last seen at the service; nil where it could be asked.
    private(set) var asOf: Timestamp?
    /// Whether the service's list is known to be this one, as far as only this process changes it.
    private(set) var isExact = true
    /// The changes that were pending when a page arrived, of which nobody knows whether it has them.
    private var uncertain: Set<PendingChange.ID>

    /// The window of one page.
    ///
    /// - Parameters:
    ///   - page: What the service answered.
    ///   - pending: The changes that were not answered when the page arrived.
    init(_ page: Stale<EntityPage>, pending: Set<PendingChange.ID> = []) {
        query = page.value.query
        pageCount = 1
        rows = page.value.rows
        total = page.value.total
        asOf = page.asOf
        uncertain = pending
    }

    /// Whether the list goes on after the window.
    var hasMore: Bool { query.offset + rows.count < total }

    /// The number of the last page that is shown.
    var lastPage: Int { query.page + pageCount - 1 }

    /// The page that the first entity behind the window is on.
    ///
    /// Where entities were deleted it is one that is shown already, and has to be read again.
    var pageBehind: Int { query.page + rows.count / query.size }

    /// Adds the page behind the window, or puts it in place of the part that it repeats.
    mutating func append(_ page: Stale<EntityPage>, pending: Set<PendingChange.ID> = []) {
        let arrived = Set(page.value.rows.map(\.id))
        let kept = rows.prefix(page.value.query.offset - query.offset).filter { !arrived.contains($0.id) }
        // Another total, or an entity on two pages: somebody else has changed the list between the pages.
        if page.value.total != total || kept.count != page.value.query.offset - query.offset {
            isExact = false
        }
        rows = kept + page.value.rows
        total = page.value.total
        pageCount = max(pageCount, page.value.query.page - query.page + 1)
        asOf = [asOf, page.asOf].compactMap { $0 }.min()
        uncertain.formUnion(pending)
    }

    // MARK: - Changes that were made

    /// Shows a change that was made, in its place; after one that came to nothing, all is as it was.
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
        // Somebody else has added what was changed here.
        (total, isExact) = (query.offset + rows.count, false)
    }

    /// The service's list may be another one.
    mutating func markInexact() {
        isExact = false
    }

    private mutating func add(_ entity: Entity, isCertain: Bool) {
        guard query.includes(entity) else { return }
        if let index = rows.firstIndex(where: { $0.id == entity.id }) { return rows[index] = entity }
        let place = place(of: entity, hasMore: hasMore)
        // Within the window its absence shows that the page was read before it was created.
        guard isCertain || place != nil else { return isExact = false }
        if let place { rows.insert(entity, at: place) }
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
        // What keeps its place keeps it also at the window's ends, where the neighbours are not known.
        if index == 0, !isEarlier, rows.first.map({ query.sort.isInOrder(entity, $0) }) ?? true {
            return rows.insert(entity, at: 0)
        }
        let isLater = query.sort.isInOrder(former, entity)
        if index == rows.count, !isLater, rows.last.map({ query.sort.isInOrder($0, entity) }) ?? true {
            return rows.append(entity)
        }
        if let place = place(of: entity, hasMore: hasMore) { rows.insert(entity, at: place) }
    }

    /// An entity changed that was outside the window, or not in the list.
    private mutating func appear(_ entity: Entity, isCertain: Bool) {
        // Whether it was in the list before is known only where everything is in it.
        if query.isFiltered || !isCertain { isExact = false }
        guard query.includes(entity), let place = place(of: entity, hasMore: hasMore) else { return }
        rows.insert(entity, at: place)
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

    /// Where `entity` belongs among the rows; nil where it belongs outside them, as far as that is known.
    private mutating func place(of entity: Entity, hasMore: Bool) -> Int? {
        let place = rows.firstIndex { query.sort.isInOrder(entity, $0) } ?? rows.count
        if place == 0, query.offset > 0 {
            isExact = false
            return nil
        }
        return place == rows.count && hasMore ? nil : place
    }
}

// MARK: - Changes that are pending

extension EntityWindow {
    /// The rows with the pending changes laid over them, in the order in which these were asked for.
    ///
    /// An entity that is being changed stays where it is until it is.
    func rows(during pending: [PendingChange]) -> [EntityRow] {
        var rows = rows.map { EntityRow($0) }
        for change in pending {
            if case .create(_, let provisional) = change.kind {
                guard change.policy == .optimistic, query.includes(provisional) else { continue }
                let place = rows.firstIndex { query.sort.isInOrder(provisional, $0.entity) } ?? rows.count
                if place == rows.count, hasMore { continue }
                if place == 0, query.offset > 0 { continue }
                rows.insert(EntityRow(provisional, mark: change.mark), at: place)
            } else if let index = rows.firstIndex(where: { $0.id == change.entityID }) {
                if let row = rows[index].during(change) { rows[index] = row } else { rows.remove(at: index) }
            }
        }
        return rows
    }

    /// How many entities the whole list has, with the pending changes.
    func total(during pending: [PendingChange]) -> Int {
        total + rows(during: pending).count - rows.count
    }
}
