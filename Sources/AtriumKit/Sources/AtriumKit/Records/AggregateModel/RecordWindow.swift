/// Consecutive pages of a list, as answered by the service.
struct RecordWindow<Item: Record>: Hashable, Sendable {
    let query: RecordQuery<Item>
    private(set) var pageCount: Int
    private(set) var rows: [Item]
    /// The number of records of the list; a lower bound unless ``isTotalKnown``.
    private(set) var total: Int
    private(set) var isTotalKnown: Bool
    /// The time when the oldest part was last seen at the service; nil if the service answered.
    private(set) var asOf: Timestamp?
    /// True if this matches the service's list, as long as no other process changes it.
    var isExact = true
    private var uncertain: Set<Int>

    init(
        _ query: RecordQuery<Item>, _ page: Stale<RecordPage<Item>>, pending: Set<Int> = []
    ) {
        self.query = query
        pageCount = 1
        rows = page.value.rows
        (total, isTotalKnown) = (page.value.total, page.value.isTotalKnown)
        asOf = page.asOf
        uncertain = pending
    }

    var hasMore: Bool { query.offset + rows.count < total }
    var lastPage: Int { query.page + pageCount - 1 }

    /// The page with the first record after the window.
    ///
    /// After deletions it is a page that is already shown and must be read again.
    var pageBehind: Int { query.page + rows.count / query.size }

    var lastBeforePageBehind: Item? { rows.dropLast(rows.count % query.size).last }

    /// Adds the next page, or replaces the part of the window that it repeats.
    mutating func append(
        _ pageQuery: RecordQuery<Item>, _ page: Stale<RecordPage<Item>>, pending: Set<Int> = []
    ) {
        let arrived = Set(page.value.rows.map(\.id))
        let kept = rows.prefix(pageQuery.offset - query.offset).filter { !arrived.contains($0.id) }
        // Another total, or a record on two pages: the list was changed elsewhere between the pages.
        let hasOtherTotal = isTotalKnown && page.value.isTotalKnown && page.value.total != total
        if hasOtherTotal || kept.count != pageQuery.offset - query.offset {
            isExact = false
        }
        rows = kept + page.value.rows
        (total, isTotalKnown) = (page.value.total, page.value.isTotalKnown)
        pageCount = max(pageCount, pageQuery.page - query.page + 1)
        asOf = [asOf, page.asOf].compactMap { $0 }.min()
        uncertain.formUnion(pending)
    }

    // MARK: - Completed changes

    mutating func apply(_ settled: SettledChange<Item>) {
        let isCertain = settled.id.map { uncertain.remove($0) == nil } ?? true
        switch settled.change {
        case .created(let record): add(record, isCertain: isCertain)
        case .updated(let record): update(record, isCertain: isCertain)
        case .deleted(let record): remove(record, isCertain: isCertain)
        case nil: if settled.mayHaveChanged { isExact = false }
        }
        guard total < query.offset + rows.count else { return }
        // Another process has added records.
        (total, isExact) = (query.offset + rows.count, false)
    }

    private mutating func add(_ record: Item, isCertain: Bool) {
        guard query.includes(record) else { return }
        if let index = rows.firstIndex(where: { $0.id == record.id }) { return rows[index] = record }
        let index = index(for: record, hasMore: hasMore)
        // A record that belongs in the window but is missing was created after the page was read.
        guard isCertain || index != nil else { return isExact = false }
        if let index { rows.insert(record, at: index) }
        total += 1
    }

    private mutating func update(_ record: Item, isCertain: Bool) {
        guard let index = rows.firstIndex(where: { $0.id == record.id }) else {
            return appear(record, isCertain: isCertain)
        }
        let hasMore = hasMore
        let former = rows.remove(at: index)
        guard query.includes(record) else { return total -= 1 }
        let isEarlier = query.isInOrder(record, former)
        // A record that keeps its order stays even at the window's ends, where its neighbours are unknown.
        if index == 0, !isEarlier, rows.first.map({ query.isInOrder(record, $0) }) ?? true {
            return rows.insert(record, at: 0)
        }
        let isLater = query.isInOrder(former, record)
        if index == rows.count, !isLater, rows.last.map({ query.isInOrder($0, record) }) ?? true {
            return rows.append(record)
        }
        if let index = self.index(for: record, hasMore: hasMore) { rows.insert(record, at: index) }
    }

    /// Adds a record that was outside the window, or not in the list.
    private mutating func appear(_ record: Item, isCertain: Bool) {
        // A list without a filter had it before; with a filter, that is unknown.
        if query.isLimited || !isCertain { isExact = false }
        guard query.includes(record), let index = index(for: record, hasMore: hasMore) else { return }
        rows.insert(record, at: index)
        if query.isLimited { total += 1 }
    }

    private mutating func remove(_ record: Item, isCertain: Bool) {
        if let index = rows.firstIndex(where: { $0.id == record.id }) {
            rows.remove(at: index)
            total -= 1
        } else if query.includes(record) {
            if isTotalKnown, isCertain {
                total = max(query.offset + rows.count, total - 1)
            } else {
                isExact = false
            }
            if query.offset > 0 { isExact = false }
        }
    }

    /// The index at which `record` belongs; nil if it belongs, or may belong, outside the window.
    private mutating func index(for record: Item, hasMore: Bool) -> Int? {
        let index = rows.firstIndex { query.isInOrder(record, $0) } ?? rows.count
        if index == 0, query.offset > 0 {
            isExact = false
            return nil
        }
        return index == rows.count && hasMore ? nil : index
    }
}

// MARK: - Pending changes

extension RecordWindow {
    /// The rows with the pending changes; a changed record keeps its index until the service has answered.
    func rows(during pending: [PendingChange<Item>]) -> [RecordRow<Item>] {
        var rows = rows.map { RecordRow<Item>($0) }
        for change in pending {
            if case .create(_, let provisional) = change.kind {
                guard query.includes(provisional) else { continue }
                let index = rows.firstIndex { query.isInOrder(provisional, $0.record) } ?? rows.count
                if index == rows.count, hasMore { continue }
                if index == 0, query.offset > 0 { continue }
                rows.insert(RecordRow<Item>(provisional, status: change.kind.status), at: index)
            } else if let index = rows.firstIndex(where: { $0.id == change.recordID }) {
                if let row = rows[index].during(change) { rows[index] = row } else { rows.remove(at: index) }
            }
        }
        return rows
    }

    func total(during pending: [PendingChange<Item>]) -> Int {
        if pending.isEmpty { return total }
        return total + rows(during: pending).count - rows.count
    }
}
