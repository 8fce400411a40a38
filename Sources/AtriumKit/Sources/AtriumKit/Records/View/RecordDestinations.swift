// The screens of a record, by link: `books`, `books/:id`, `books/:id/edit`, `books/new`, and for each filtered
// field its values, such as `books/shelves`.

/// The links of the screens of a record, parsed once.
struct RecordPatterns: Sendable {
    let list, detail, new, edit: LinkPattern

    init(_ link: String) {
        list = LinkPattern(stringLiteral: link)
        detail = LinkPattern(stringLiteral: "\(link)/:id")
        new = LinkPattern(stringLiteral: "\(link)/new")
        edit = LinkPattern(stringLiteral: "\(link)/:id/edit")
    }
}

/// A list of records; a property that is nil has its default.
///
/// The filters are in the link's query under the names of their fields: `books?shelf=A3&sort=-title`.
public struct RecordListDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { Item.fields.patterns.list }
    public static var guards: [GuardName] { Item.guards }
    public static var version: Int { 2 }

    public var page: Int?
    /// The number of records on a page; nil for as many as fit.
    public var size: Int?
    /// The name of an order: that of a sorted field, after `-` for the descending one.
    public var sort: String?
    public var search: String?
    public var filters: [String: String] = [:]

    public init() {}

    init(_ query: RecordQuery<Item>, size: Int? = nil) {
        page = query.page == 1 ? nil : query.page
        self.size = size
        sort = query.sort == RecordQuery<Item>().sort ? nil : query.sort?.text(of: Item.self)
        search = query.search
        filters = query.filters
    }

    func query(fitting fittingSize: Int = 20) -> RecordQuery<Item> {
        var query = RecordQuery<Item>()
        (query.page, query.size) = (page ?? 1, size ?? fittingSize)
        if let sort { query.sort = RecordSort(sort, of: Item.self) }
        query.search = search?.trimmed.nilIfEmpty
        query.filters = filters.compactMapValues(\.trimmed.nilIfEmpty)
        for (name, text) in query.filters {
            // A server compares texts.
            if let field = Item.fields[name], field.reference != nil, !field.isText, let id = Int(text) {
                query.filters[name] = "\(id)"
            }
        }
        return query
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONKey.self)
        page = try container.decodeIfPresent(Int.self, forKey: "page")
        size = try container.decodeIfPresent(Int.self, forKey: "size")
        sort = try container.decodeIfPresent(String.self, forKey: "sort")
        search = try container.decodeIfPresent(String.self, forKey: "search")
        filters = try RecordQuery<Item>.filters(in: container)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        try container.encodeIfPresent(page, forKey: "page")
        try container.encodeIfPresent(size, forKey: "size")
        try container.encodeIfPresent(sort, forKey: "sort")
        try RecordQuery<Item>.encode(filters, &container)
        try container.encodeIfPresent(search, forKey: "search")
    }

    /// In version 1 the default page size was 20.
    public static func migrate(_ properties: JSONObject, from version: Int) -> JSONObject? {
        guard properties["page"] != nil, properties["size"] == nil else { return properties }
        var properties = properties
        properties["size"] = .integer(20)
        return properties
    }
}

/// One record.
public struct RecordDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { Item.fields.patterns.detail }
    public static var guards: [GuardName] { Item.guards }

    public let id: Item.ID

    public init(id: Item.ID) { self.id = id }
}

/// The form for a new record; returns its id to a screen that presents it.
public struct NewRecordDestination<Item: Record>: ResultDestination {
    public typealias Result = Item.ID
    public static var pattern: LinkPattern { Item.fields.patterns.new }
    public static var guards: [GuardName] { Item.guards }

    public init() {}
}

/// The form for a record that exists.
public struct EditRecordDestination<Item: Record>: Destination {
    public static var pattern: LinkPattern { Item.fields.patterns.edit }
    public static var guards: [GuardName] { Item.guards }

    public let id: Item.ID

    public init(id: Item.ID) { self.id = id }
}

/// The position of a field among the filtered ones: each has a screen with its values, whose link is that of a
/// type.
protocol FieldPosition: Sendable {
    static var index: Int { get }
}

enum FirstField: FieldPosition {
    static var index: Int { 0 }
}

enum FieldAfter<Former: FieldPosition>: FieldPosition {
    static var index: Int { Former.index + 1 }
}

/// The values of a filtered field; returns the chosen one to a screen that presents it.
struct RecordValuesDestination<Item: Record, Position: FieldPosition>: ResultDestination {
    typealias Result = String
    static var pattern: LinkPattern { Item.fields.valuesPatterns[Position.index] }
    static var guards: [GuardName] { Item.guards }

    var sort: RecordValuesSort?
    var limit: Int?

    var query: RecordValuesQuery {
        RecordValuesQuery(
            field: Item.fields.filtered[Position.index].name, sort: sort ?? .name,
            limit: limit ?? RecordValuesQuery.defaultLimit)
    }
}

extension RecordField {
    /// The last part of the link of the field's values: `shelves` for a field `shelf`.
    var valuesLink: String {
        RecordNoun(Words.label(forKey: name).lowercased()).plural.replacing(" ", with: "-")
    }

    /// The link of the screen with the field's values.
    var valuesScreen: String { "\(Root.link)/\(valuesLink)" }
}
