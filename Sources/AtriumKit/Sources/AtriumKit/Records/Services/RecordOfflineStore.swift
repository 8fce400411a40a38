/// Keeps a server's answers about records for when it can't be reached.
///
/// A list is answered from its saved rows, or from a complete list that contains it; never from part of one.
/// Secrets are not saved.
struct RecordOfflineStore<Item: Record>: Sendable {
    private let store: OfflineStore

    init(_ store: OfflineStore) { self.store = store }

    // MARK: - Saving

    func save(_ page: RecordPage<Item>, for query: RecordQuery<Item>, account: String?) async {
        await store.update(SeenList.key(query), account: account) { (list: SeenList?, now: Timestamp) in
            var list = list ?? SeenList(query)
            list.add(page, query, at: now)
            return list
        }
    }

    func save(_ record: Item, account: String?) async {
        await store.save(StoredRecord(record), for: Self.key(record.id), account: account)
        await updateLists(containing: record.id, account) { $0.update(record) }
    }

    func remove(_ id: Item.ID, account: String?) async {
        await store.remove(Self.key(id), account: account)
        await updateLists(containing: id, account) { $0.remove(id) }
    }

    func save(_ values: RecordValues, for query: RecordValuesQuery, account: String?) async {
        await store.save(values, for: Self.key(query), account: account)
    }

    private func updateLists(
        containing id: Item.ID, _ account: String?, _ change: @escaping @Sendable (inout SeenList) -> Void
    ) async {
        await store.updateAll(
            SeenList.self, prefix: SeenList.prefix, containing: Self.text(of: id), account: account, change)
    }

    // MARK: - Answering

    /// A page, with the time when its oldest part was seen; nil unless all of it was.
    func page(_ query: RecordQuery<Item>, account: String?) async -> Stale<RecordPage<Item>>? {
        let list = await store.value(SeenList.self, for: SeenList.key(query), account: account)
        if let page = list?.value.page(query) { return page }
        let lists = await store.values(SeenList.self, prefix: SeenList.prefix, account: account)
        return Self.latest(lists.compactMap { $0.value.workOut(query) })
    }

    func record(_ id: Item.ID, account: String?) async -> Stale<Item>? {
        let single = await store.value(StoredRecord<Item>.self, for: Self.key(id), account: account)
        let lists = await store.values(
            SeenList.self, prefix: SeenList.prefix, containing: Self.text(of: id), account: account)
        let listed = lists.compactMap { $0.value.record(id) }
        return Self.latest([single.map { Stale($0.value.record, asOf: $0.asOf) }].compactMap(\.self) + listed)
    }

    func values(_ query: RecordValuesQuery, account: String?) async -> Stale<RecordValues>? {
        await store.value(RecordValues.self, for: Self.key(query), account: account)
    }

    private static func latest<Value>(_ values: [Stale<Value>]) -> Stale<Value>? {
        values.max { ($0.asOf?.microseconds ?? .min) < ($1.asOf?.microseconds ?? .min) }
    }

    private static func key(_ id: Item.ID) -> String { "\(Item.table)/record/\(id)" }
    /// Part of a record's JSON; a longer id is found too, which only costs time.
    private static func text(of id: Item.ID) -> String {
        "\"id\":" + ((try? StateCoding.encode(id.exchanged)) ?? "\(id)")
    }

    private static func key(_ query: RecordValuesQuery) -> String {
        "\(Item.table)/values/\(query.field)/\(query.sort.rawValue)/\(query.limit)"
    }

    private struct SeenList: Codable, Sendable {
        private let query: RecordQuery<Item>
        private var list = OfflineList<StoredRecord<Item>>()
        /// True if the service did not know how many records there are.
        private var isPartial: Bool?

        static var prefix: String { "\(Item.table)/list/" }

        init(_ query: RecordQuery<Item>) { self.query = query.onPage(1) }

        /// Filters match in any case, but for references; none contains the separator.
        static func key(_ query: RecordQuery<Item>) -> String {
            let filters = query.filters.sorted { $0.key < $1.key }.flatMap { [$0, Self.key($0, $1)] }
            return prefix
                + ([query.sort?.text(of: Item.self) ?? "", query.searchKeys?[0] ?? ""] + filters)
                .joined(separator: "\u{1F}")
        }

        private static func key(_ name: String, _ filter: String) -> String {
            Item.fields[name]?.reference == nil ? SearchKey.forms(of: filter)[0] : filter
        }

        mutating func add(_ page: RecordPage<Item>, _ query: RecordQuery<Item>, at moment: Timestamp) {
            let isPartial = !page.isTotalKnown
            let total = isPartial && self.isPartial == true ? max(page.total, list.total) : page.total
            // Rows stay where they were if another part of the list became known.
            if isPartial || self.isPartial == true { list.adopt(total: total) }
            list.add(
                page.rows.map(StoredRecord.init), offset: query.offset, size: query.size, total: total,
                at: moment)
            self.isPartial = isPartial ? true : nil
        }

        mutating func update(_ record: Item) {
            if query.includes(record) { list.update(StoredRecord(record)) } else { list.remove(record.id) }
        }

        mutating func remove(_ id: Item.ID) { list.remove(id) }

        func record(_ id: Item.ID) -> Stale<Item>? {
            list.element(id).map { Stale($0.value.record, asOf: $0.asOf) }
        }

        func page(_ query: RecordQuery<Item>) -> Stale<RecordPage<Item>>? {
            list.page(offset: query.offset, size: query.size).map {
                let rows = $0.value.map(\.record)
                let page =
                    isPartial == true
                    ? RecordPage(rows: rows, atLeast: list.total) : RecordPage(rows: rows, total: list.total)
                return Stale(page, asOf: $0.asOf)
            }
        }

        /// Derives a page of another list; nil unless this one is complete and has all that is in the other.
        func workOut(_ other: RecordQuery<Item>) -> Stale<RecordPage<Item>>? {
            guard isWider(than: other), let all = list.all,
                let page = try? other.page(of: all.value.map(\.record))
            else { return nil }
            return Stale(page, asOf: all.asOf)
        }

        private func isWider(than other: RecordQuery<Item>) -> Bool {
            let isSearched = query.searchKeys.map { $0[0] == other.searchKeys?[0] } ?? true
            return isSearched
                && query.filters.allSatisfy { name, text in
                    other.filters[name].map { Self.key(name, $0) == Self.key(name, text) } ?? false
                }
        }
    }
}

/// A record as JSON, without its secrets.
private struct StoredRecord<Item: Record>: Codable, Identifiable, Sendable {
    let record: Item

    var id: Item.ID { record.id }

    init(_ record: Item) { self.record = record }

    init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder),
            let id = object["id"].flatMap({ Item.ID(json: $0) }), let record = try? Item(id: id, object)
        else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "This is no saved record."))
        }
        self.record = record
    }

    func encode(to encoder: any Encoder) throws {
        try JSONValue.object(record.exchanged).encode(to: encoder)
    }
}
