import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

/// A record with values that are easily taken for none.
private struct Crate: Record {
    var id = 0
    var name = ""
    var shelf = ""
    var color: String? = "red"
    var seal: String?
    var email = "a@b"
    var price = Money(hundredths: 1)

    static let fields: Fields<Crate> = [
        RecordField("name", \.name, .sorted, .unique),
        RecordField("shelf", \.shelf, .length(0...20), .filtered),
        RecordField("color", \.color),
        RecordField("seal", \.seal, .secret, .unique),
        RecordField("email", \.email, .email),
        RecordField("price", \.price, .amount(Money(hundredths: 1)...Money(hundredths: 100_000_000))),
    ]
}

@Suite("Values of records that are easily taken for none", .timeLimit(.minutes(5)))
struct RecordValueTests {
    @Test("An empty text is not among the values of its field", arguments: RecordStore.checking)
    func emptyText(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Crate.self)
        defer { withExtendedLifetime(owner) {} }
        _ = try await service.create(Crate(name: "a"))
        #expect(
            try await service.values(RecordValuesQuery(field: "shelf")) == RecordValues(rows: [], total: 0))
        _ = try await service.create(Crate(name: "b", shelf: "A3"))

        let values = try await service.values(RecordValuesQuery(field: "shelf"))

        #expect(values == RecordValues(rows: [RecordFieldValue(name: "A3", count: 1)], total: 1))
    }

    @Test("A unique secret is compared as it is, letter case too", arguments: RecordStore.checking)
    func secrets(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Crate.self)
        defer { withExtendedLifetime(owner) {} }
        _ = try await service.create(Crate(name: "a", seal: "x1"))
        _ = try await service.create(Crate(name: "b", seal: "X1"))

        let error = await #expect(throws: ValidationError.self) {
            try await service.create(Crate(name: "c", seal: "x1"))
        }

        #expect(error?.findings.map(\.field) == ["seal"])
    }

    @Test(
        "An import with a value twice names the record, and stores none",
        arguments: RecordStore.checking, [["b", "c", "B"], ["b", "c", "a"]])
    func duplicates(_ store: RecordStore, _ names: [String]) async throws {
        let (service, owner) = try await store.make(Crate.self)
        defer { withExtendedLifetime(owner) {} }
        _ = try await service.create(Crate(name: "A"))

        let error = await #expect(throws: ValidationError.self) {
            try await service.createAll { add in for name in names { try add(Crate(name: name)) } }
        }

        #expect(
            error?.findings == [
                ValidationFinding(
                    "There is a crate with the name '\(names[2])' already.", field: "name", line: 3)
            ])
        #expect(try await service.all(RecordQuery()).map(\.name) == ["A"])
    }

    @Test("A file keeps that a value is missing where the default is one", arguments: ["a.csv", "a.jsonl"])
    func missing(_ name: String) async throws {
        let folder = TemporaryFolder()
        let file = try RecordFile<Crate>(folder.path(name), format: nil)
        let writer = try RecordFileWriter(file)
        #expect(try writer.write([Crate(name: "a", color: nil), Crate(name: "b")]) == 2)
        #expect(try writer.finish() == 2)

        #expect(try await file.records { _ in }.map(\.color) == [nil, "red"])
    }

    @Test(
        "A complete file has the ids and what users can't change; an import ignores both",
        arguments: ["a.csv", "a.jsonl"])
    func complete(_ name: String) async throws {
        let folder = TemporaryFolder()
        var file = try RecordFile<Book>(folder.path(name), format: nil)
        file.isComplete = true
        let writer = try RecordFileWriter(file)
        #expect(try writer.write([Book(id: 7, title: "a", isLent: true, code: "1234")]) == 1)
        #expect(try writer.finish() == 1)

        let text = String(decoding: contents(folder.path(name)), as: UTF8.self)

        #expect(text.contains(name == "a.csv" ? "id,title," : #"{"id":7,"title":"a","#))
        #expect(text.contains(name == "a.csv" ? ",yes," : #""isLent":true"#))
        #expect(!text.contains("1234"))
        #expect(try await file.records { _ in } == [Book(title: "a")])
    }

    @Test("Edges are at the limits of the rules")
    func edges() throws {
        let (longest, least) = (Crate.edgeCases[0], Crate.edgeCases[1])

        #expect([longest, least].flatMap { $0.validate() } == [])
        #expect([longest.price.hundredths, least.price.hundredths] == [100_000_000, 1])
        #expect([longest.name.count, longest.shelf.count, longest.email.count] == [200, 20, 254])
        #expect([least.name.count, least.shelf.count, least.email.count] == [1, 0, 3])
        #expect(least.color == nil)
    }

    @Test("A number with more than two decimals is no amount", arguments: [0.005, 10_000_000.004, -1.001])
    func decimals(_ number: Double) {
        #expect(Money(json: .number(number)) == nil)
    }

    @Test("A former field that records needed has a default if it was added later")
    func formerField() {
        #expect(FormerField("a", Int.self, .added(in: 2), removedIn: 3).column.problem != nil)
        #expect(FormerField("b", Int.self, default: 1, .added(in: 2), removedIn: 3).column.problem == nil)
        #expect(FormerField("c", Int?.self, .added(in: 2), removedIn: 3).column.problem == nil)
        #expect(FormerField("d", Int.self, removedIn: 3).column.problem == nil)
    }

    private static let query: RecordQuery<Book> = {
        var query = RecordQuery<Book>()
        (query.page, query.size, query.sort) = (2, 3, RecordSort("-title", of: Book.self))
        (query.search, query.filters) = ("an \"ä\"", ["author": "A & b", "binding": "paperback"])
        return query
    }()

    @Test("A query of filters is the first page, in the order of a list")
    func filters() {
        var expected = RecordQuery<Book>()
        expected.filters = ["author": "A & b"]

        #expect(RecordQuery<Book>(filters: ["author": "A & b"]) == expected)
        #expect(expected.isLimited && expected.sort == RecordSort("title", of: Book.self))
    }

    @Test(
        "What is kept as JSON is the same afterwards",
        arguments: [
            .init(query, RecordQuery<Book>()),
            .init(
                RecordListState(query: query, fits: true, pages: 3),
                RecordListState(query: query, fits: false)),
            .init(RecordFieldValue(name: "an \"ä\"", count: 3)),
            .init(RecordValues(rows: [RecordFieldValue(name: "a", count: 1)], total: 5)),
            .init(RecordValuesSort.name, .mostUsed),
            .init(RecordInput(texts: ["title": "an \"ä\"\n"], stored: ["title": ""])),
        ] as [ModelSamples.Values])
    func codable(_ values: ModelSamples.Values) throws {
        #expect(try values.changed() == [])
    }
}
