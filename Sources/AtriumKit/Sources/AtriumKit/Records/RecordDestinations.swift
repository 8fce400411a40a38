// The screens of a record, by link: `books`, `books/:id`, `books/:id/edit`, `books/new`, `books/values/:field`.

/// A list of records; a property that is nil has its default.
///
/// The filters are in the link's query under the names of their fields: `books?shelf=A3&sort=-title`.
public struct RecordListDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { LinkPattern(stringLiteral: Item.link) }
    public static var guards: [GuardName] { Item.guards }

    public var page: Int?
    /// The name of a sorted field, after `-` for the descending order.
    public var sort: String?
    public var search: String?
    public var filters: [String: String] = [:]

    public init() {}

    init(_ query: RecordQuery<Item>) {
        let initial = RecordQuery<Item>()
        page = query.page == 1 ? nil : query.page
        sort = query.sort == initial.sort ? nil : query.sort?.text
        search = query.search
        filters = query.filters
    }

    var query: RecordQuery<Item> {
        var query = RecordQuery<Item>()
        query.page = page ?? 1
        if let sort { query.sort = RecordSort(sort) }
        query.search = search?.trimmed.nilIfEmpty
        query.filters = filters
        return query
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        page = try container.decodeIfPresent(Int.self, forKey: JSONKey(stringValue: "page"))
        sort = try container.decodeIfPresent(String.self, forKey: JSONKey(stringValue: "sort"))
        search = try container.decodeIfPresent(String.self, forKey: JSONKey(stringValue: "search"))
        for field in Item.fields.filtered {
            filters[field.name] = try container.decodeIfPresent(
                String.self, forKey: JSONKey(stringValue: field.name))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encodeIfPresent(page, forKey: JSONKey(stringValue: "page"))
        try container.encodeIfPresent(sort, forKey: JSONKey(stringValue: "sort"))
        try container.encodeIfPresent(search, forKey: JSONKey(stringValue: "search"))
        for (name, text) in filters.sorted(by: { $0.key < $1.key }) {
            try container.encode(text, forKey: JSONKey(stringValue: name))
        }
    }
}

/// One record.
public struct RecordDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { LinkPattern(stringLiteral: "\(Item.link)/:id") }
    public static var guards: [GuardName] { Item.guards }

    public let id: Int

    public init(id: Int) { self.id = id }
}

/// The form for a new record; returns its id to a screen that presents it.
public struct NewRecordDestination<Item: Record>: ResultDestination {
    public typealias Result = Int
    public static var pattern: LinkPattern { LinkPattern(stringLiteral: "\(Item.link)/new") }
    public static var guards: [GuardName] { Item.guards }

    public init() {}
}

/// The form for a record that exists.
public struct EditRecordDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { LinkPattern(stringLiteral: "\(Item.link)/:id/edit") }
    public static var guards: [GuardName] { Item.guards }

    public let id: Int

    public init(id: Int) { self.id = id }
}

/// The values of a filtered field; returns the chosen one to a screen that presents it.
public struct RecordValuesDestination<Item: Record>: ResultDestination {
    public typealias Result = String
    public static var pattern: LinkPattern { LinkPattern(stringLiteral: "\(Item.link)/values/:field") }
    public static var guards: [GuardName] { Item.guards }
    public static var sample: Self? { Self(field: Item.fields.filtered.first?.name ?? "none") }

    public let field: String

    public init(field: String) { self.field = field }
}
