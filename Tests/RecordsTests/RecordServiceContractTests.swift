import AtriumTesting
import LiveTestSupport
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

/// The implementations of a service of records, which must all pass the contract.
enum RecordStore: String, CaseIterable, Sendable {
    case samples, sqlite, postgresql, server

    /// Those that check unique values, changes of others, and whole files; the reference server's collections
    /// take what they get.
    static let checking: [RecordStore] = [.samples, .sqlite, .postgresql]

    /// A service without records; the object keeps its database or server.
    func make<Item: Record>(
        _ type: Item.Type, clock: FixedClock = FixedClock()
    ) async throws -> (service: any RecordService<Item>, owner: AnyObject?) {
        switch self {
        case .samples:
            return (SampleRecordService<Item>([], edge: [], behavior: .success, clock: clock), nil)
        case .sqlite:
            let storage = TemporaryDatabase(owner: "Records", migrations: Migration.records(type))
            return (TableRecordService(database: storage.database, clock: clock), storage)
        case .postgresql:
            // The contract counts ids without gaps; a run that is undone leaves one.
            var limits = Limits()
            limits.repeatsWrites = false
            let database = try PostgreSQLEngine(limits).database(
                of: unique("Records"), migrations: Migration.records(type),
                at: try PostgreSQLServer.shared().url)
            return (TableRecordService(database: database, clock: clock), nil)
        case .server:
            let server = try ReferenceServer { ($0.isSeeded, $0.collections) = (false, [Item.table]) }
            let api = try LiveAPI.device(of: server)
            try await LiveAPI.signIn(api)
            return (ResourceRecordService(api: api, path: "v1/\(Item.table)"), server)
        }
    }
}

extension MockBehavior {
    static var success: MockBehavior {
        MockBehavior("BookService", scenario: MockScenario(), clock: FixedClock()) { _ in }
    }
}

extension RecordService {
    func values(of field: String) async throws -> [String] {
        try await values(RecordValuesQuery(field: field)).rows.map(\.name)
    }

    func update(_ record: Item, from base: Item) async throws -> Item {
        try await update(record.id, RecordChanges(to: record, from: base))
    }
}

/// What every service of records promises.
@Suite("Contract of services of records", .timeLimit(.minutes(5)))
struct RecordServiceContractTests {
    private func filled(_ store: RecordStore) async throws -> (any RecordService<Book>, AnyObject?) {
        let (service, owner) = try await store.make(Book.self)
        for sample in Book.samples { _ = try await service.create(sample) }
        return (service, owner)
    }

    private func titles(_ service: any RecordService<Book>, _ change: (inout RecordQuery<Book>) -> Void)
        async throws
        -> [String]
    {
        var query = RecordQuery<Book>()
        change(&query)
        return try await service.page(query).rows.map(\.title)
    }

    @Test("A record is read as it was stored, with each type of value", arguments: RecordStore.allCases)
    func roundTrip(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Book.self)
        defer { withExtendedLifetime(owner) {} }
        var book = Book(
            title: "Zażółć 灯💡", author: "Ada", isbn: "1", copies: 999, weight: 0.1, isLent: true,
            binding: .paperback, bought: Day("2024-02-29"),
            seenAt: Timestamp(microseconds: 1_795_237_305_500_001),
            price: Money(hundredths: 99_999), notes: "a\n'b'\"c\"", code: "1234")

        let created = try await service.create(book)

        #expect(created.id == 1)
        book.id = 1
        #expect(created == book)
        #expect(try await service.record(1) == book)
        await #expect { try await service.record(2) } throws: { ($0 as? ServiceError)?.code == .notFound }
    }

    @Test(
        "A list is sorted, searched and limited in any case, and its total counts all pages",
        arguments: RecordStore.allCases)
    func lists(_ store: RecordStore) async throws {
        let (service, owner) = try await filled(store)
        defer { withExtendedLifetime(owner) {} }

        #expect(try await titles(service) { _ in } == ["Dune", "Emma", "Persuasion", "Łąka"])
        #expect(
            try await titles(service) { $0.sort = RecordSort("-title", of: Book.self) } == [
                "Łąka", "Persuasion", "Emma", "Dune",
            ])
        #expect(
            try await titles(service) { $0.sort = RecordSort("author", of: Book.self) } == [
                "Łąka", "Dune", "Emma", "Persuasion",
            ])
        #expect(
            try await titles(service) { $0.sort = RecordSort("-copies", of: Book.self) } == [
                "Dune", "Łąka", "Persuasion", "Emma",
            ])
        #expect(
            try await titles(service) { $0.sort = RecordSort("bought", of: Book.self) } == [
                "Dune", "Persuasion", "Łąka", "Emma",
            ])
        #expect(try await titles(service) { $0.search = "ANE" } == ["Emma", "Persuasion"])
        #expect(try await titles(service) { $0.search = "łĄk" } == ["Łąka"])
        #expect(try await titles(service) { $0.search = "%" } == [])
        #expect(
            try await titles(service) { $0.filters = ["author": "JANE austen"] } == ["Emma", "Persuasion"])
        #expect(try await titles(service) { $0.filters = ["binding": "paperback"] } == ["Emma"])
        #expect(try await titles(service) { $0.filters = ["isLent": "yes"] } == ["Persuasion"])
        #expect(try await titles(service) { $0.filters = ["author": " "] } == ["Łąka"])
        #expect(try await titles(service) { $0.filters = ["price": "12.5"] } == ["Persuasion"])
        #expect(try await titles(service) { $0.filters = ["bought": ""] } == ["Dune", "Persuasion", "Łąka"])
        // A server refuses what it does not know.
        for (name, text) in store == .server
            ? [] : [("binding", "PAPERBACK"), ("isLent", "true"), ("price", "cheap")]
        {
            await #expect(throws: ValidationError.self) {
                try await titles(service) { $0.filters = [name: text] }
            }
        }
        #expect(
            try await titles(service) {
                $0.search = "n"
                // A server without rules does not know the default of a field that was not sent.
                $0.filters = ["author": "jane austen"].merging(store == .server ? [:] : ["isLent": "no"]) {
                    $1
                }
            } == (store == .server ? ["Emma", "Persuasion"] : ["Emma"]))

        var query = RecordQuery<Book>()
        (query.size, query.page) = (3, 2)
        let page = try await service.page(query)
        #expect(page.rows.map(\.title) == ["Łąka"] && page.total == 4)
        query.page = 1_000_000_000
        #expect(try await service.page(query) == RecordPage(rows: [], total: 4))
    }

    @Test("The values of a field are listed once, as they are typed first", arguments: RecordStore.allCases)
    func values(_ store: RecordStore) async throws {
        let (service, owner) = try await filled(store)
        defer { withExtendedLifetime(owner) {} }

        #expect(try await service.values(of: "author") == ["Frank Herbert", "Jane Austen"])
        #expect(try await service.values(of: "binding") == ["hardcover", "paperback"])
        await #expect(throws: ValidationError.self) { try await service.values(of: "title") }
    }

    @Test(
        "Changes of different fields are kept, and a second one of a field is refused",
        arguments: RecordStore.checking)
    func concurrentChanges(_ store: RecordStore) async throws {
        let (service, owner) = try await filled(store)
        defer { withExtendedLifetime(owner) {} }
        let base = try await service.record(1)
        var (mine, theirs) = (base, base)
        mine.copies = 7
        theirs.title = "Dune II"
        theirs.author = nil

        _ = try await service.update(theirs, from: base)
        let merged = try await service.update(mine, from: base)

        #expect(merged.copies == 7 && merged.title == "Dune II" && merged.author == nil)
        mine.title = "Another"
        await #expect { try await service.update(mine, from: base) } throws: {
            ($0 as? ServiceError)?.code == .changedMeanwhile
        }
        #expect(try await service.record(1) == merged)
        #expect(try await titles(service) { $0.search = "dune ii" } == ["Dune II"])
        #expect(try await service.values(of: "author") == ["Jane Austen"])
    }

    @Test(
        "A unique value is refused a second time, in any case; missing ones are no value",
        arguments: RecordStore.checking)
    func uniqueness(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Book.self)
        defer { withExtendedLifetime(owner) {} }
        let first = try await service.create(Book(title: "A", isbn: "x1"))
        _ = try await service.create(Book(title: "B"))
        let third = try await service.create(Book(title: "C"))

        await #expect(throws: ValidationError.self) { try await service.create(Book(title: "D", isbn: "X1")) }
        var changed = third
        changed.isbn = "X1"
        await #expect(throws: ValidationError.self) { try await service.update(changed, from: third) }
        var renamed = first
        renamed.isbn = "X1"

        #expect(try await service.update(renamed, from: first).isbn == "X1")
        #expect(try await service.page(RecordQuery()).total == 3)
    }

    @Test(
        "A typed text is stored in one form, and compared with each form that is stored",
        arguments: RecordStore.checking)
    func forms(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Book.self)
        defer { withExtendedLifetime(owner) {} }
        var typed = Book(title: "New")
        try Book.fields["author"]?.set(&typed, to: "Rene\u{301}e")
        #expect(typed.author?.unicodeScalars.count == 5)
        _ = try await service.create(typed)
        // As an earlier build stored it.
        _ = try await service.create(Book(title: "Old", author: "Rene\u{301}e", isbn: "e\u{301}1"))

        for author in ["ren\u{E9}e", "rene\u{301}e"] {
            var query = RecordQuery<Book>(filters: ["author": author])
            #expect(try await service.page(query).total == 2)
            query = RecordQuery()
            query.search = author
            #expect(try await service.page(query).total == 2)
        }
        for isbn in ["\u{C9}1", "E\u{301}1"] {
            await #expect(throws: ValidationError.self) {
                try await service.create(Book(title: "Third", isbn: isbn))
            }
        }
    }

    @Test("A deleted record is gone, and its id is not used again", arguments: RecordStore.allCases)
    func deletion(_ store: RecordStore) async throws {
        let (service, owner) = try await filled(store)
        defer { withExtendedLifetime(owner) {} }

        _ = try await service.delete(4)

        await #expect { try await service.delete(4) } throws: { ($0 as? ServiceError)?.code == .notFound }
        await #expect { try await service.update(Book(id: 4, title: "X"), from: Book(id: 4)) } throws: {
            ($0 as? ServiceError)?.code == .notFound
        }
        #expect(try await service.create(Book(title: "New")).id == 5)
    }

    @Test("Many records are stored all or none, and read in parts", arguments: RecordStore.checking)
    func many(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Book.self)
        defer { withExtendedLifetime(owner) {} }
        struct Stop: Error {}

        await #expect(throws: Stop.self) {
            try await service.createAll { add in
                try add(Book(title: "A"))
                throw Stop()
            }
        }
        #expect(try await service.page(RecordQuery()).total == 0)
        let count = try await service.createAll { add in
            for number in 1...1_100 { try add(Book(title: "Book \(number)")) }
        }

        #expect(count == 1_100)
        let read = Mutex<[String]>([])
        try await service.forEachPart { part in read.withLock { $0 += part.map(\.title) } }
        #expect(read.withLock { $0 } == (1...1_100).map { "Book \($0)" })
    }
}

@Suite("Samples of records")
struct SampleRecordTests {
    @Test("Scenario edge has records at the limits of the rules")
    func edge() async throws {
        let behavior = MockBehavior.success
        behavior.scenario = MockScenario(.edge)

        let page = try await SampleRecordService(
            Book.samples, edge: Book.edgeCases, behavior: behavior, clock: FixedClock()
        ).page(RecordQuery())

        #expect(page.total == 2)
        #expect(page.rows.allSatisfy { $0.validate().isEmpty })
        let longest = try #require(page.rows.max { $0.title.count < $1.title.count })
        #expect(longest.title.count == 40 && longest.author?.count == 30 && longest.copies == 999)
        let least = try #require(page.rows.min { $0.title.count < $1.title.count })
        #expect(least.title.count == 1 && least.author == nil && least.copies == 1)
    }

    @Test("Scenario error fails each call, and no secret is among the recorded arguments")
    func error() async throws {
        let behavior = MockBehavior.success
        let service = SampleRecordService(
            Book.samples, edge: Book.edgeCases, behavior: behavior, clock: FixedClock())
        _ = try await service.create(Book(title: "A", code: "1234"))
        behavior.scenario = MockScenario(.error)

        await #expect { try await service.page(RecordQuery()) } throws: {
            ($0 as? ServiceError)?.code == .serviceUnavailable
        }
        #expect(behavior.calls.map(\.name) == ["create", "page"])
        #expect(!behavior.calls.contains { $0.arguments.values.contains { $0.contains("1234") } })
    }
}
