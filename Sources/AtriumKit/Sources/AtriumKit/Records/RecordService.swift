/// The store of records: a table, a server's resource, or samples.
///
/// Register an own implementation with ``RecordSource/service(_:)``.
public protocol RecordService<Item>: Sendable {
    associatedtype Item: Record

    /// Returns a page of a list.
    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item>
    /// - Throws: ``ServiceError`` `notFound`.
    func record(_ id: Int) async throws -> Item
    /// Returns the values of a filtered field as they are typed, each once, in order.
    func values(of field: String) async throws -> [String]
    /// Stores a record, and returns it with its id.
    func create(_ record: Item) async throws -> Item
    /// Stores the fields in which `record` differs from `base`, and returns the record as it is then.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile` if one of them is not as in `base` any more.
    func update(_ record: Item, from base: Item) async throws -> Item
    /// - Throws: ``ServiceError`` `notFound`.
    func delete(_ id: Int) async throws
    /// Stores the records that `read` passes to its argument, all or none; returns how many.
    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int
    /// Returns some records in order of id, after the last one of the part before; none at the end.
    ///
    /// Parts are numbered from 1.
    func part(_ number: Int, after last: Item?) async throws -> [Item]
}

extension RecordService {
    /// Refuses, by default: the service can't store many records as one change.
    public func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        throw ServiceError(
            "notSupported", "The service of \(Item.noun.plural) can't import files.",
            hint: "\(Item.link) create")
    }

    /// Returns pages of 500, by default.
    public func part(_ number: Int, after last: Item?) async throws -> [Item] {
        var query = RecordQuery<Item>()
        (query.page, query.size, query.sort) = (number, 500, nil)
        let rows = try await page(query).rows
        // A server that ignores the number of the page sends the same one for ever.
        return rows.last?.id == last?.id ? [] : rows
    }
}

/// The implementation of a service of records for one environment.
public struct RecordSource<Item: Record>: Sendable {
    let make: (@MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>)?
    var samples: [Item] = []

    private init(_ make: (@MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>)?)
    {
        self.make = make
    }

    /// The record's table in the module's database; its migrations are ``Migration/records(_:)``.
    public static var table: Self {
        Self { TableRecordService<Item>(database: $0.database) }
    }

    /// A collection of the server's API at a path such as `v1/books`.
    ///
    /// Lists are `GET` with the API's paging, and `sort`, `search` and the filters as parameters; one record is
    /// at `path/:id`, is created by `POST`, changed by `PATCH` with the changed members, and deleted by
    /// `DELETE`. `api` names one of several APIs.
    public static func resource(_ path: String, api: String? = nil) -> Self {
        Self { context in
            ResourceRecordService<Item>(api: api.map { context.api($0) } ?? context.api, path: path)
        }
    }

    /// Samples in memory, forgotten when the host ends; scenario `edge` has values at the limits of the rules.
    public static func samples(_ samples: [Item]) -> Self {
        var source = Self { context in
            SampleRecordService<Item>(samples, behavior: context.mock((any RecordService<Item>).self))
        }
        source.samples = samples
        return source
    }

    /// An implementation of the module.
    public static func service(
        _ make: @escaping @MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>
    ) -> Self { Self(make) }

    /// There is no implementation for the environment.
    public static var unavailable: Self { Self(nil) }
}

extension ServiceError {
    static func noRecord(_ noun: RecordNoun, _ id: Int, link: String) -> ServiceError {
        ServiceError(.notFound, "There is no \(noun.singular) \(id).", hint: link)
    }

    static func notUnique(_ noun: RecordNoun, _ fields: [String], _ cause: any Error) -> ServiceError {
        let names = fields.map { "'\($0)'" }.joined(separator: " or ")
        return ServiceError(
            .uniqueViolation, "Two \(noun.plural) have the same \(names); nothing was stored.",
            hint: "Leave one of them out.", category: .validation, cause: cause)
    }

    static func changedMeanwhile(_ noun: RecordNoun, _ fields: [String]) -> ServiceError {
        let names = fields.map { "'\($0)'" }.joined(separator: ", ")
        return ServiceError(
            .changedMeanwhile, "The \(noun.singular) was changed meanwhile, in \(names).",
            hint: "Look at the present values, then save again.")
    }
}

extension ValidationFinding {
    static func notUnique<Item: Record>(_ field: RecordField<Item>, of record: Item) -> ValidationFinding {
        ValidationFinding(
            "There is \(Item.noun.withArticle) with the \(field.label.lowercased()) "
                + "'\((field.text(of: record) ?? "").excerpt)' already.", field: field.name)
    }
}

extension ErrorCode {
    /// Another change of the same value came first.
    public static let changedMeanwhile: ErrorCode = "changedMeanwhile"
}
