import AtriumKit

/// Keeps a server's answers for when it can't be reached.
protocol EntityOfflineStore: Sendable {
    func save(_ page: EntityPage, account: String?) async
    func save(_ entity: Entity, account: String?) async
    func remove(_ id: Int, account: String?) async
    func save(_ list: CategoryList, for query: CategoryQuery, account: String?) async
    func page(_ query: EntityQuery, account: String?) async -> Stale<EntityPage>?
    func entity(_ id: Int, account: String?) async -> Stale<Entity>?
    func categories(_ query: CategoryQuery, account: String?) async -> Stale<CategoryList>?
}

/// A list is answered from its saved rows, or from a complete list that contains it; never from part of one.
extension OfflineStore: EntityOfflineStore {
    // MARK: - Saving

    func save(_ page: EntityPage, account: String?) async {
        await update(SeenList.key(page.query), account: account) { (list: SeenList?, now: Timestamp) in
            var list = list ?? SeenList(page.query)
            list.add(page, at: now)
            return list
        }
    }

    func save(_ entity: Entity, account: String?) async {
        await save(entity, for: Self.key(entity.id), account: account)
        await updateAll(
            SeenList.self, prefix: SeenList.prefix, containing: Self.text(of: entity.id), account: account
        ) { $0.update(entity) }
    }

    func remove(_ id: Int, account: String?) async {
        await remove(Self.key(id), account: account)
        await updateAll(
            SeenList.self, prefix: SeenList.prefix, containing: Self.text(of: id), account: account
        ) { $0.remove(id) }
    }

    func save(_ list: CategoryList, for query: CategoryQuery, account: String?) async {
        await save(list, for: Self.key(query), account: account)
    }

    // MARK: - Answering

    /// A page, with the time when its oldest part was seen; nil unless all of it was.
    func page(_ query: EntityQuery, account: String?) async -> Stale<EntityPage>? {
        let list = await value(SeenList.self, for: SeenList.key(query), account: account)
        if let page = list?.value.page(query) { return page }
        let lists = await values(SeenList.self, prefix: SeenList.prefix, account: account)
        return Self.latest(lists.compactMap { $0.value.workOut(query) })
    }

    func entity(_ id: Int, account: String?) async -> Stale<Entity>? {
        let single = await value(Entity.self, for: Self.key(id), account: account)
        let lists = await values(
            SeenList.self, prefix: SeenList.prefix, containing: Self.text(of: id), account: account)
        let listed = lists.compactMap { $0.value.entity(id) }
        return Self.latest([single].compactMap { $0 } + listed)
    }

    func categories(_ query: CategoryQuery, account: String?) async -> Stale<CategoryList>? {
        await value(CategoryList.self, for: Self.key(query), account: account)
    }

    private static func latest<Value>(_ values: [Stale<Value>]) -> Stale<Value>? {
        values.max { ($0.asOf?.microseconds ?? .min) < ($1.asOf?.microseconds ?? .min) }
    }

    private static func key(_ id: Int) -> String { "entity/\(id)" }
    /// Part of an entity's JSON, whose members are sorted: a name always follows the id.
    private static func text(of id: Int) -> String { "\"id\":\(id)," }

    private static func key(_ query: CategoryQuery) -> String {
        "categories/\(query.sort.rawValue)/\(query.limit)"
    }
}

private struct SeenList: Codable, Sendable {
    private let query: EntityQuery
    private var list = OfflineList<Entity>()

    static let prefix = "list/"

    init(_ query: EntityQuery) { self.query = query.onPage(1) }

    /// Filters match in any case; none contains the separator.
    static func key(_ query: EntityQuery) -> String {
        prefix
            + [query.sort.rawValue, SearchKey.of(query.category ?? ""), SearchKey.of(query.search ?? "")]
            .joined(separator: "\u{1F}")
    }

    mutating func add(_ page: EntityPage, at moment: Timestamp) {
        list.add(
            page.rows, offset: page.query.offset, size: page.query.size, total: page.total, at: moment)
    }

    mutating func update(_ entity: Entity) {
        if query.includes(entity) { list.update(entity) } else { list.remove(entity.id) }
    }

    mutating func remove(_ id: Int) {
        list.remove(id)
    }

    func entity(_ id: Int) -> Stale<Entity>? { list.element(id) }

    func page(_ query: EntityQuery) -> Stale<EntityPage>? {
        list.page(offset: query.offset, size: query.size).map {
            Stale(EntityPage(query: query, rows: $0.value, total: list.total), asOf: $0.asOf)
        }
    }

    /// Derives a page of another list; nil unless this one is complete and has all that passes its filter.
    func workOut(_ other: EntityQuery) -> Stale<EntityPage>? {
        guard Self.isWider(query.category, than: other.category),
            Self.isWider(query.search, than: other.search),
            let all = list.all
        else { return nil }
        let found = all.value.filter(other.includes).sorted(by: other.sort.isInOrder)
        let page = EntityPage(
            query: other, rows: Array(found.dropFirst(other.offset).prefix(other.size)), total: found.count)
        return Stale(page, asOf: all.asOf)
    }

    private static func isWider(_ filter: String?, than other: String?) -> Bool {
        filter.map { SearchKey.of($0) == SearchKey.of(other ?? "") } ?? true
    }
}
