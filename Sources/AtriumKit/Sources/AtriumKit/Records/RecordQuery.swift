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

    /// Creates a query of the first page in order of the first sorted field.
    public init() {
        sort = Item.fields.sorted.first.map { RecordSort(field: $0.name) }
    }

    /// The number of records before the page.
    public var offset: Int { page.subtractingClamped(1).multipliedClamped(by: size) }

    /// True if the query leaves records out.
    public var isLimited: Bool { search != nil || !filters.isEmpty }

    /// - Throws: ``ValidationError`` for a page, a size or a field that no list has.
    public func check() throws {
        try ValidationError.check(
            ValidationFinding.checking("page", page, within: PageNumbers.range)
                + ValidationFinding.checking("size", size, within: 1...500))
        if let sort { _ = try Item.fields.field(sort.field, among: Item.fields.sorted) }
        if search != nil, Item.fields.searched.isEmpty {
            throw ValidationError(findings: [
                ValidationFinding("A list of \(Item.noun.plural) can't be searched.", field: "search")
            ])
        }
        _ = try filterValues()
    }

    /// The filters, each with a record that has its value.
    ///
    /// - Throws: ``ValidationError`` for a text that is no value of its field.
    func filterValues() throws -> [(field: RecordField<Item>, example: Item)] {
        try filters.sorted { $0.key < $1.key }.map { name, text in
            let field = try Item.fields.field(name, among: Item.fields.filtered)
            var example = Item()
            if let finding = field.access.set(&example, text) { throw ValidationError(findings: [finding]) }
            return (field, example)
        }
    }

    /// The key of the search; nil without one.
    var searchKey: String? { search.map(SearchKey.of) }

    /// Returns the records that belong to the list.
    func matching(_ records: [Item]) throws -> [Item] {
        let values = try filterValues()
        return records.filter { record in
            let isFound = searchKey.map { key in
                Item.fields.searched.contains { $0.key(of: record).utf8.contains(key.utf8) }
            }
            return isFound ?? true && values.allSatisfy { $0.field.isSame(record, $0.example) }
        }
    }
}

/// An order of records: by a field, then by id.
public struct RecordSort: Hashable, Sendable {
    public let field: String
    public let isDescending: Bool

    public init(field: String, isDescending: Bool = false) {
        (self.field, self.isDescending) = (field, isDescending)
    }

    /// Reads a field's name, after `-` for the descending order.
    init(_ text: String) {
        let isDescending = text.hasPrefix("-")
        self.init(field: String(text.dropFirst(isDescending ? 1 : 0)), isDescending: isDescending)
    }

    /// The field's name, after `-` for the descending order.
    var text: String { (isDescending ? "-" : "") + field }
}

/// A page of a list of records.
public struct RecordPage<Item: Record>: Hashable, Sendable {
    public var rows: [Item]
    /// The number of records on all pages.
    public var total: Int

    public init(rows: [Item] = [], total: Int = 0) {
        (self.rows, self.total) = (rows, total)
    }
}
