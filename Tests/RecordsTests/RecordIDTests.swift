import AtriumTesting
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

/// A kind of record whose ids are texts.
private struct Tag: Record {
    var id = ""
    var name = ""

    static let fields: Fields<Tag> = [RecordField("name", "Its name", \.name, .sorted, .unique)]
}

/// A record that refers to one of them.
private struct Note: Record {
    var id = 0
    var text = ""
    var tag: String?

    static let fields: Fields<Note> = [
        RecordField("text", "What it says", \.text),
        RecordField("tag", "What it is about", \.tag, .reference(to: Tag.self)),
    ]
}

@MainActor
private final class NotesModule: FeatureModule {
    static let migrations = Migration.records(Tag.self, Note.self)

    func register(in registry: ModuleRegistry) {
        let samples = [Tag(id: "r/1", name: "Red"), Tag(name: "Green")]
        registry.records(Tag.self, live: .resource("v1/tags"), local: .table, mock: .samples(samples))
        registry.records(
            Note.self, live: .unavailable, local: .table, mock: .samples([Note(text: "a", tag: "r/1")]))
    }
}

@Suite("Records whose ids are texts")
struct RecordIDTests {
    private let api = ScriptedAPIClient(tokens: AccessTokens(id: "1", accessToken: "a"))

    @Test(
        "A store gives each record an id of its own, by which it is found, changed and deleted",
        arguments: [RecordStore.samples, .sqlite, .postgresql])
    func stores(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Tag.self)
        defer { withExtendedLifetime(owner) {} }

        let red = try await service.create(Tag(name: "Red"))
        let added = try await service.createAll { add in
            for name in ["Green", "Blue"] { try add(Tag(name: name)) }
        }

        let ids = try await service.all(.everything).map(\.id)
        #expect(added == 2 && Set(ids).count == 3 && ids.allSatisfy(\.isStoredID))
        #expect(try await service.record(red.id) == red)
        var crimson = red
        crimson.name = "Crimson"
        #expect(try await service.update(crimson, from: red) == crimson)
        await #expect(throws: (any Error).self) { try await service.create(Tag(name: "BLUE")) }
        #expect(try await service.delete(red.id) == crimson)
        await #expect { try await service.record(red.id) } throws: {
            ($0 as? ServiceError)?.message == "There is no tag '\(red.id)'."
        }
        #expect(try await Set(service.all(.everything).map(\.name)) == ["Blue", "Green"])
        let parts = AllNames()
        try await service.forEachPart { parts.add($0.map(\.name)) }
        #expect(parts.sorted == ["Blue", "Green"])
    }

    @Test(
        "A reference is the very id: a list limited by it has none in another case",
        arguments: [RecordStore.samples, .sqlite, .postgresql])
    func references(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Note.self)
        defer { withExtendedLifetime(owner) {} }
        for (text, tag) in [("lower", "a"), ("upper", "A"), ("none", nil)] as [(String, String?)] {
            _ = try await service.create(Note(text: text, tag: tag))
        }

        for (tag, text) in [("a", "lower"), ("A", "upper")] {
            let found = try await service.page(RecordQuery(filters: ["tag": tag]))
            #expect(found.rows.map(\.text) == [text] && found.total == 1)
        }
        let list = RecordListDestination<Note>(RecordQuery(filters: ["tag": "007"]))
        #expect(list.query().filters["tag"] == "007")
        let error = ServiceError.isReferredTo(Tag.noun, RecordKey("r 1"), by: 2, Note.fields.all[1])
        #expect(error.hint == "notes?tag=r%201")
    }

    @Test("A server's id is a part of the path, and each text but an empty one is an id")
    func server() async throws {
        let service = ResourceRecordService<Tag>(api: api, path: "v1/tags")
        api.answer("GET v1/tags/:id", #"{"id": "a/ü", "name": "Red"}"#)

        #expect(try await service.record("a/ü") == Tag(id: "a/ü", name: "Red"))
        #expect(api.calls.map(\.call.values) == [["id": "a/ü"]])

        for id in [#""""#, #""a\nb""#, "7", "null", #""\#(String(repeating: "x", count: 201))""#] {
            let answer = try? JSONDecoder().decode(
                RecordAnswer<Tag>.self, from: Data(#"{"id": \#(id), "name": "Red"}"#.utf8))
            #expect(answer == nil, "\(id)")
        }
    }

    @MainActor
    @Test("Screens have links with the id, and references show the name")
    func screens() async throws {
        let container = try TestContainer(NotesModule.self)
        let tags = try container.viewModel(RecordListViewModel<Tag>.self, RecordListDestination<Tag>())
        try await tags.load()
        #expect(tags.list.rows == [Tag(id: "1", name: "Green"), Tag(id: "r/1", name: "Red")])
        #expect(try RecordDestination<Tag>(id: "r/1").link().description == "tags/r%2F1")
        #expect(try RecordDestination<Tag>(link: Link("tags/r%2F1"))?.id == "r/1")
        #expect(Tag(id: "r/1", name: "Red").exchanged == ["id": "r/1", "name": "Red"])

        let notes = try container.viewModel(RecordListViewModel<Note>.self, RecordListDestination<Note>())
        try await notes.load()
        let shown = notes.model.names.referred(Note.fields.all[1], of: notes.list.rows[0])
        #expect(shown?.displayText == "Red (r/1)" && shown?.json == "r/1")

        let form = try container.viewModel(RecordFormViewModel<Note>.self, Int?.some(1)).form
        try await form.load()
        await #expect(throws: ValidationError.self) { try await form.setChecked("tag", to: "x") }
        try await form.setChecked("tag", to: "1")
        #expect(try await form.save().tag == "1")

        let repository = try container.repository(RecordRepository<Tag>.self)
        await #expect(throws: ServiceError.self) { try await repository.delete("1") }
        #expect(try await repository.delete("r/1").name == "Red")
        await #expect(throws: ValidationError.self) { try await tags.delete(ids: ["", "1"]) }
    }

    @MainActor
    @Test("What is being created has no id that is shown, and then the one of the store")
    func pending() async throws {
        let container = try TestContainer(NotesModule.self)
        let tags = try container.viewModel(RecordListViewModel<Tag>.self, RecordListDestination<Tag>())
        try await tags.load()

        let promise = try tags.model.beginCreating(Tag(name: "Azure"))
        let during = tags.list.rows
        let created = try await promise.value()

        #expect(during.first?.name == "Azure" && during.first?.id.isStoredID == false)
        #expect(tags.list.rows.first == created && created.id == "3")
    }

    @Test("Saved lists follow changes by their ids, and keep all pages of a list whose total is not known")
    func offline() async {
        let storage = TemporaryDatabase(owner: "Records", migrations: [OfflineStore.migration(1)])
        let store = RecordOfflineStore<Tag>(
            OfflineStore(
                database: storage.database, server: "http://server.test", clock: FixedClock(),
                logger: RecordingLog().logger))
        let tags = ["a\"/ü", "b", "c", "d"].map { Tag(id: $0, name: $0.uppercased()) }
        var query = RecordQuery<Tag>()
        query.size = 2
        await store.save(RecordPage(rows: Array(tags[..<2]), atLeast: 3), for: query, account: "1")
        await store.save(RecordPage(rows: Array(tags[2...]), atLeast: 5), for: query.onPage(2), account: "1")

        let first = await store.page(query, account: "1")?.value
        #expect(first == RecordPage(rows: Array(tags[..<2]), atLeast: 5))
        #expect(await store.record("a\"/ü", account: "1")?.value == tags[0])

        await store.save(Tag(id: "b", name: "B2"), account: "1")
        await store.remove("a\"/ü", account: "1")
        #expect(await store.record("a\"/ü", account: "1") == nil)
        #expect(await store.page(query, account: "1")?.value.rows.map(\.name) == ["B2", "C"])

        await store.save(RecordPage(rows: [tags[3]], total: 3), for: query.onPage(2), account: "1")
        #expect(
            await store.page(query, account: "1")?.value
                == RecordPage(rows: [Tag(id: "b", name: "B2"), tags[2]], total: 3))
    }

    @Test("Samples without ids get those that no other has")
    func samples() async throws {
        let samples = [Note(id: 2, text: "a"), Note(text: "b"), Note(text: "c")]
        let service = SampleRecordService<Note>(samples, edge: [], behavior: .success, clock: FixedClock())

        #expect(try await service.all(.everything).map(\.text) == ["b", "a", "c"])
        #expect(try await service.record(3).text == "c")
        #expect(try await service.create(Note(text: "d")).id == 4)
    }

    @Test("New ids are 32 digits, and no two are the same")
    func newIDs() throws {
        let ids = (0..<1_000).compactMap { _ in String.newID() }

        #expect(Set(ids).count == 1_000)
        #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.isStoredID })
        #expect(Int.newID() == nil && !String.provisionalID(1).isStoredID && !Int.provisionalID(1).isStoredID)
        #expect("Z".precedes("a") && !"a".precedes("a") && 9.precedes(10))
    }
}

extension RecordIDTests {
    @Test("Ids of a fixed source are the same in each run, and no two are the same")
    func fixedIDs() {
        let (first, second) = (IDSource.fixed(seed: 1), IDSource.fixed(seed: 1))
        let other = IDSource.fixed(seed: 2)
        let ids = (0..<10_000).map { _ in first.next() }

        #expect(ids == (0..<10_000).map { _ in second.next() })
        #expect(Set(ids + (0..<10_000).map { _ in other.next() }).count == 20_000)
        #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.isStoredID })
        #expect(Int.newID(from: first) == nil && String.newID(from: .fixed(seed: 1)) == ids[0])
    }

    @Test("A table takes ids from its source, also those of an import")
    func tableIDs() async throws {
        var tables: [[String]] = []
        for _ in 0..<2 {
            let storage = TemporaryDatabase(owner: "Records", migrations: Migration.records(Tag.self))
            let service = TableRecordService<Tag>(
                database: storage.database, clock: FixedClock(), ids: .fixed(seed: 7))
            _ = try await service.create(Tag(id: "", name: "a"))
            _ = try await service.createAll { add in try add(Tag(id: "", name: "b")) }
            tables.append(try await service.page(RecordQuery<Tag>()).rows.map(\.id))
        }

        #expect(tables[0] == tables[1] && tables[0].count == 2)
    }
}

private final class AllNames: Sendable {
    private let names = Mutex<[String]>([])

    var sorted: [String] { names.withLock { $0.sorted() } }

    func add(_ part: [String]) { names.withLock { $0 += part } }
}
