/// The part of a list of records to show: a page, an order, a search and filters.
public struct RecordQuery<Item: Record>: Hashable, Sendable {
    /// The number of the page, from 1.
    public var page = 1
    /// The number of records on a page.
    public var size = 20
    /// The order; nil for that of the ids.
    public var sort: RecordSort?
    /// A text that one of the searched fields has, in any case.
    public var search: String?
    /// The values of filtered fields, as they are typed; texts are compared in any case.
    public var filters: [String: String] = [:]

    static var pages: ClosedRange<Int> { PageNumbers.range }
    static var sizes: ClosedRange<Int> { 1...500 }

    /// Creates a query of the first page in order of the first sorted field.
    public init() {
        sort = Item.fields.sorted.first.map { RecordSort(field: $0.name) }
    }

    /// Creates a query of the first page of the records that have these values, by the names of filtered fields.
    public init(filters: [String: String]) {
        self.init()
        self.filters = filters
    }

    /// The number of records before the page.
    public var offset: Int { page.subtractingClamped(1).multipliedClamped(by: size) }

    /// True if the query leaves records out.
    public var isLimited: Bool { search != nil || !filters.isEmpty }

    /// - Throws: ``ValidationError`` for a page, a size, a search or a filter that no list has.
    public func check() throws {
        var findings = ValidationFinding.checking("page", page, within: Self.pages)
        findings += ValidationFinding.checking("size", size, within: Self.sizes)
        if let search {
            if Item.fields.searched.isEmpty {
                findings.append(
                    ValidationFinding(
                        "A list of \(Item.fields.noun.plural) can't be searched.", field: "search"))
            }
            findings += TextRule(subject: "The search text", maximum: 200).problems(of: search).map {
                ValidationFinding($0, field: "search")
            }
        }
        try ValidationError.check(findings)
        if let sort, !Item.fields.sorted.contains(where: { $0.name == sort.field }) {
            let names = Item.fields.orders
            throw ValidationError(
                findings: [
                    ValidationFinding(
                        "'sort' must be one of \(names.joined(separator: ", ")), "
                            + "not '\(sort.text(of: Item.self).excerpt)'.", field: "sort")
                ], hint: NearestName.of(sort.field, among: names).map { "Did you mean '\($0)'?" })
        }
        _ = try filterValues()
    }

    /// All records, in pages of the greatest size and in an order that new ones only lengthen.
    static var everything: RecordQuery {
        var query = RecordQuery()
        let creation = Item.fields.sorted.first { $0.traits.isCreationTime }
        (query.size, query.sort) = (sizes.upperBound, creation.map { RecordSort(field: $0.name) })
        return query
    }

    func onPage(_ page: Int) -> RecordQuery {
        var query = self
        query.page = page
        return query
    }

    /// The query with another page size, for the page that contains this one's first record; an invalid query
    /// is returned unchanged.
    func inPages(of size: Int) -> RecordQuery {
        guard (try? check()) != nil else { return self }
        var query = self
        (query.page, query.size) = (min(offset / size + 1, Self.pages.upperBound), size)
        return query
    }

    /// The default page size: as many records as fit between the headings and the fields below, at least one.
    static func size(fitting viewport: Viewport) -> Int {
        // If the columns don't fit side by side, a record takes a line per value, and a blank one.
        let height = viewport.columns < 40 ? Item.fields.columnCount + 3 : 1
        return min(max(1, (viewport.rows - 4) / height), sizes.upperBound)
    }
}

// MARK: - Records in memory

extension RecordQuery {
    var searchKeys: [String]? { search.map(SearchKey.forms) }

    /// The filters, each with a record that has its value.
    ///
    /// - Throws: ``ValidationError`` for a text that is no value of its field, or too long for it.
    public func filterValues() throws -> [(field: RecordField<Item>, example: Item)] {
        try filters.sorted { $0.key < $1.key }.map { name, text in
            let field = try Item.fields.field(name, among: Item.fields.filtered)
            var example = Item()
            if let finding = field.access.set(&example, text) { throw ValidationError(findings: [finding]) }
            if field.isText { try ValidationError.check(field.findings(in: example)) }
            return (field, example)
        }
    }

    /// Returns the records that belong to the list, as a table finds them.
    public func matching(_ records: [Item]) throws -> [Item] {
        let (filters, keys) = (try filterTests(), searchKeys)
        return records.filter { Self.includes($0, filters, keys) }
    }

    /// Returns the page of the list that is made of these records, as a table reads it.
    public func page(of records: [Item]) throws -> RecordPage<Item> {
        let found = try matching(records).sorted(by: isInOrder)
        return RecordPage(rows: Array(found.dropFirst(offset).prefix(size)), total: found.count)
    }

    /// True if a record belongs to the list; false for a query that is not valid.
    public func includes(_ record: Item) -> Bool {
        (try? filterTests()).map { Self.includes(record, $0, searchKeys) } ?? false
    }

    private func filterTests() throws -> [(Item) -> Bool] {
        try filterValues().map { $0.field.isSame(as: $0.example) }
    }

    private static func includes(_ record: Item, _ filters: [(Item) -> Bool], _ keys: [String]?) -> Bool {
        // By bytes, as a database compares; `==` would compare normalized texts.
        let isFound = keys.map { keys in
            Item.fields.searched.contains { field in
                let text = field.key(of: record)
                return keys.contains { text.utf8.contains($0.utf8) }
            }
        }
        return isFound ?? true && filters.allSatisfy { $0(record) }
    }

    /// True if a record comes before another one in the order of the list: by key, missing values first, then
    /// by id.
    public func isInOrder(_ left: Item, _ right: Item) -> Bool {
        guard let sort, let field = Item.fields[sort.field] else { return left.id.precedes(right.id) }
        let order = field.compare(left, right)
        let isAscending = order == 0 ? left.id.precedes(right.id) : order < 0
        return left.id != right.id && (sort.isDescending ? !isAscending : isAscending)
    }
}

extension RecordField {
    /// Less than 0 if the first record comes first, 0 if both have the same value.
    fileprivate func compare(_ left: Root, _ right: Root) -> Int {
        hasKey
            ? Self.compare(key(of: left), key(of: right))
            : Self.compare(databaseValue(of: left), databaseValue(of: right))
    }

    private static func compare(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
    }

    private static func compare(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.real(let left), .real(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.text(let left), .text(let right)): compare(left, right)
        case (.null, .null): 0
        case (.null, _): -1
        default: 1
        }
    }
}

// MARK: - As members of an object: page, size, sort, search, and the filters by the names of their fields

extension RecordQuery: Codable {
    /// The names that a filtered field can't have.
    static var reservedNames: Set<String> {
        [
            "refresh", "rows", "state", "page", "lastPage", "size", "total", "hasMore", "sort", "search",
            "fitsRoom",
            "pages",
        ]
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        page = try container.decodeIfPresent(PageNumber.self, forKey: "page")?.wrappedValue ?? 1
        size = try container.decodeIfPresent(PageSize.self, forKey: "size")?.wrappedValue ?? 20
        sort = try container.decodeIfPresent(String.self, forKey: "sort").map {
            RecordSort($0, of: Item.self)
        }
        search = try container.decodeIfPresent(String.self, forKey: "search")
        filters = try Self.filters(in: container)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encode(page, forKey: "page")
        try container.encode(size, forKey: "size")
        try container.encodeIfPresent(sort?.text(of: Item.self), forKey: "sort")
        try container.encodeIfPresent(search, forKey: "search")
        try Self.encode(filters, &container)
    }

    static func filters(in container: KeyedDecodingContainer<JSONKey>) throws -> [String: String] {
        var filters: [String: String] = [:]
        for field in Item.fields.filtered {
            filters[field.name] = try container.decodeIfPresent(
                String.self, forKey: JSONKey(stringValue: field.name))
        }
        return filters
    }

    static func encode(
        _ filters: [String: String], _ container: inout KeyedEncodingContainer<JSONKey>
    ) throws {
        for (name, text) in filters.sorted(by: { $0.key < $1.key }) {
            try container.encode(text, forKey: JSONKey(stringValue: name))
        }
    }
}

extension JSONKey: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self.init(stringValue: value) }
}

/// An order of records: by a field, then by id.
public struct RecordSort: Hashable, Sendable {
    public let field: String
    public let isDescending: Bool

    public init(field: String, isDescending: Bool = false) {
        (self.field, self.isDescending) = (field, isDescending)
    }

    /// Reads an order's own name, or a field's name, after `-` for the descending order.
    init<Item: Record>(_ text: String, of type: Item.Type) {
        for field in Item.fields.sorted {
            guard let names = field.traits.orderNames else { continue }
            if text == names.ascending {
                self.init(field: field.name)
            } else if text == names.descending {
                self.init(field: field.name, isDescending: true)
            } else {
                continue
            }
            return
        }
        let isDescending = text.hasPrefix("-")
        self.init(field: String(text.dropFirst(isDescending ? 1 : 0)), isDescending: isDescending)
    }

    /// The order's own name, or the field's name, after `-` for the descending order.
    func text<Item: Record>(of type: Item.Type) -> String {
        if let names = Item.fields[field]?.traits.orderNames {
            return isDescending ? names.descending : names.ascending
        }
        return (isDescending ? "-" : "") + field
    }

    /// The order at the end of a sentence: `by name, descending`, or `newest first`.
    func phrase<Item: Record>(of type: Item.Type) -> String {
        if Item.fields[field]?.traits.orderNames != nil { return "\(text(of: type)) first" }
        return "by \(Item.fields[field]?.label.lowercased() ?? field)\(isDescending ? ", descending" : "")"
    }

    /// The names of the orders by some fields.
    static func names<Item: Record>(_ fields: [RecordField<Item>]) -> [String] {
        fields.flatMap { field in
            field.traits.orderNames.map { [$0.ascending, $0.descending] } ?? [field.name, "-\(field.name)"]
        }
    }
}

/// A page of a list of records.
public struct RecordPage<Item: Record>: Hashable, Sendable {
    public var rows: [Item]
    /// The number of records on all pages; a lower bound unless ``isTotalKnown``.
    public var total: Int
    /// False if the service does not know how many records there are.
    public var isTotalKnown: Bool

    public init(rows: [Item] = [], total: Int = 0) {
        (self.rows, self.total, isTotalKnown) = (rows, total, true)
    }

    /// Creates a page of a list with at least `total` records: one more than the pages up to this one have.
    public init(rows: [Item], atLeast total: Int) {
        (self.rows, self.total, isTotalKnown) = (rows, total, false)
    }
}

/// The values of a filtered field to list.
public struct RecordValuesQuery: Hashable, Sendable {
    public var field: String
    public var sort = RecordValuesSort.name
    /// The greatest number of values, 1 to 500.
    public var limit: Int

    /// The number of values by default.
    public static let defaultLimit = 50
    static let limits = 1...500

    public init(field: String, sort: RecordValuesSort = .name, limit: Int = defaultLimit) {
        (self.field, self.sort, self.limit) = (field, sort, limit)
    }

    func check<Item: Record>(_ type: Item.Type) throws {
        _ = try Item.fields.field(field, among: Item.fields.filtered)
        try ValidationError.check(ValidationFinding.checking("limit", limit, within: Self.limits))
    }
}

/// The orders in which values are listed; texts are compared in any case.
@frozen public enum RecordValuesSort: String, CaseIterable, Hashable, Sendable, Codable, ArgumentValue {
    case name
    case mostUsed = "most-used"
}

/// The first values of a field.
public struct RecordValues: Codable, Hashable, Sendable {
    public let rows: [RecordFieldValue]
    /// The number of values that there are.
    @RowCount public private(set) var total: Int

    public init(rows: [RecordFieldValue], total: Int) {
        (self.rows, self.total) = (rows, total)
    }

    /// Counts the values of a field; throws ``ValidationError`` for a field that is not filtered.
    public init<Item: Record>(of records: some Sequence<Item>, _ query: RecordValuesQuery) throws {
        let field = try Item.fields.field(query.field, among: Item.fields.filtered)
        var counts: [[UInt8]: (first: Item, count: Int)] = [:]
        for record in records {
            guard let text = field.text(of: record) else { continue }
            // By bytes, as a database compares; equal strings may differ in normalization.
            let key = Array(SearchKey.of(text).utf8)
            let known = counts[key] ?? (record, 0)
            counts[key] = (record.id.precedes(known.first.id) ? record : known.first, known.count + 1)
        }
        let byName = counts.values.sorted { field.compare($0.first, $1.first) < 0 }
        let ordered =
            query.sort == .name
            ? byName
            : byName.enumerated().sorted {
                ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
            }.map(\.element)
        self.init(
            rows: ordered.prefix(query.limit).map {
                RecordFieldValue(name: field.text(of: $0.first) ?? "", count: $0.count)
            },
            total: counts.count)
    }
}

/// A value of a field, in the spelling of the first record that has it.
public struct RecordFieldValue: Codable, Hashable, Sendable {
    public let name: String
    /// The number of records with the value; at least one.
    @RowCount public private(set) var count: Int

    public init(name: String, count: Int) {
        (self.name, self.count) = (name, count)
    }
}
