internal import Synchronization

/// The store of records: a table, a server's resource, or samples.
///
/// Register an own implementation with ``RecordSource/service(_:)``.
public protocol RecordService<Item>: Sendable {
    associatedtype Item: Record

    /// Returns a page of a list.
    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item>
    /// Returns a page that follows the record `last`, if it is known: some services find it faster with it.
    func page(_ query: RecordQuery<Item>, after last: Item?) async throws -> RecordPage<Item>
    /// - Throws: ``ServiceError`` `notFound`.
    func record(_ id: Item.ID) async throws -> Item
    /// Returns the first values of a filtered field.
    func values(_ query: RecordValuesQuery) async throws -> RecordValues
    /// Stores a record, and returns it with its id and its times.
    func create(_ record: Item) async throws -> Item
    /// Stores new values of some fields, and returns the record as it is then.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile` if one of them is not as in the base of the changes; a server
    ///   that has no such check takes the last change.
    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item
    /// Deletes a record, and returns it as it was, if that is known.
    ///
    /// - Throws: ``ServiceError`` `notFound`.
    func delete(_ id: Item.ID) async throws -> Item?
    /// Deletes every record of a list, or none; calls `progress` with the number deleted, on any thread.
    ///
    /// - Returns: The number deleted; nil if the service can only delete one record at a time.
    func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int?
    /// Stores the records that `read` passes to its argument, all or none.
    ///
    /// - Returns: The number stored.
    /// - Throws: ``ValidationError`` for records that are refused, each with its number from 1 as the line.
    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int
    /// Passes every record to `body`, in parts.
    func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws
}

extension RecordService {
    /// Ignores `last`, by default.
    public func page(_ query: RecordQuery<Item>, after last: Item?) async throws -> RecordPage<Item> {
        try await page(query)
    }

    /// Reads all records, by default.
    public func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        try await countedValues(query)
    }

    func countedValues(_ query: RecordValuesQuery) async throws -> RecordValues {
        let records = AllRecords<Item>()
        try await forEachPart { records.add($0) }
        return try RecordValues(of: records.all, query)
    }

    /// Returns nil, by default.
    public func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? { nil }

    /// Refuses, by default: the service can't store many records as one change.
    public func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        throw ServiceError.noImport(Item.self)
    }

    /// Reads pages of 500, by default.
    public func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        try await forEachPage(body)
    }

    /// Passes the records of a list to `body`, page after page.
    func forEachPage(
        of query: RecordQuery<Item> = .everything, _ body: ([Item]) throws -> Void
    ) async throws {
        var (query, count) = (query, 0)
        (query.page, query.size) = (1, RecordQuery<Item>.sizes.upperBound)
        var last: Item?
        while true {
            let page = try await page(query, after: last)
            // A server that ignores the number of the page sends the same one for ever.
            guard let end = page.rows.last, end.id != last?.id else { return }
            try body(page.rows)
            count += page.rows.count
            if count >= page.total { return }
            last = end
            query.page += 1
        }
    }

    /// Returns all records of a list, page after page.
    public func all(_ query: RecordQuery<Item>) async throws -> [Item] {
        var found: [Item] = []
        try await forEachPage(of: query) { found += $0 }
        return found
    }
}

/// A store of records that are ``Record/isReadOnly``: it reads pages and single records.
public protocol ReadOnlyRecordService<Item>: RecordService {}

extension ReadOnlyRecordService {
    /// Refuses.
    public func create(_ record: Item) async throws -> Item { throw ServiceError.isReadOnly(Item.self) }

    /// Refuses.
    public func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        throw ServiceError.isReadOnly(Item.self)
    }

    /// Refuses.
    public func delete(_ id: Item.ID) async throws -> Item? { throw ServiceError.isReadOnly(Item.self) }
}

/// Records that are gathered part by part.
private final class AllRecords<Item: Record>: Sendable {
    private let records = Mutex<[Item]>([])

    func add(_ part: [Item]) { records.withLock { $0 += part } }
    var all: [Item] { records.withLock { $0 } }
}

/// The implementation of a service of records for one environment.
public struct RecordSource<Item: Record>: Sendable {
    let make: (@MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>)?

    /// The samples, or those of scenario `edge`; nil if it has none.
    let samples: (@Sendable (_ isEdge: Bool) -> [Item])?

    private init(
        samples: (@Sendable (_ isEdge: Bool) -> [Item])? = nil,
        _ make: (@MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>)?
    ) {
        (self.samples, self.make) = (samples, make)
    }

    /// The record's table in the module's database; its migrations are ``Migration/records(_:and:)``.
    public static var table: Self {
        Self { TableRecordService<Item>(database: $0.database, clock: $0.clock, ids: $0.ids) }
    }

    /// A collection of the server's API at a path such as `v1/books`.
    ///
    /// Lists are `GET` with the API's paging, and `sort`, `search` and the filters as parameters; one record is
    /// at `path/:id`, is created by `POST`, changed by `PATCH` with the changed members, and deleted by
    /// `DELETE`. `api` names one of several APIs, `values` the path of the values of each filtered field that
    /// has one. With files, `POST path/import` takes lines of JSON, and `GET path/export` answers with them.
    public static func resource(
        _ path: String, api: String? = nil, values: [String: String] = [:], hasFiles: Bool = false
    ) -> Self {
        Self { context in
            ResourceRecordService<Item>(
                api: api.map { context.api($0) } ?? context.api, path: path, valuePaths: values,
                hasFiles: hasFiles)
        }
    }

    /// Samples in memory, forgotten when the host ends; scenario `edge` has `edge`, by default values at the
    /// limits of the rules.
    ///
    /// They are made, and checked against the rules, when the mock is.
    public static func samples(
        _ samples: @autoclosure @escaping @Sendable () -> [Item],
        edge: @autoclosure @escaping @Sendable () -> [Item]? = nil
    ) -> Self {
        Self(samples: { $0 ? edge() ?? Item.edgeCases : samples() }) { context in
            let (samples, edge) = (samples(), edge())
            for (index, sample) in (samples + (edge ?? [])).enumerated() {
                guard let finding = sample.validate().first else { continue }
                throw ServiceError.badSample(Item.self, index + 1, finding.message)
            }
            return SampleRecordService<Item>(
                samples, edge: edge ?? Item.edgeCases,
                behavior: context.mock((any RecordService<Item>).self), clock: context.clock)
        }
    }

    /// An implementation of the module.
    public static func service(
        _ make: @escaping @MainActor @Sendable (borrowing ServiceContext) throws -> any RecordService<Item>
    ) -> Self { Self(make) }

    /// There is no implementation for the environment.
    public static var unavailable: Self { Self(nil) }
}
