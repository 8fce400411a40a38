import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

/// A shelf, perhaps part of another one.
struct Shelf: Record {
    var id = 0
    var name = ""
    var outer: Int?

    static let noun = RecordNoun("shelf")
    static let fields: Fields<Shelf> = [
        RecordField("name", \.name, .sorted), RecordField("outer", \.outer, .reference(to: Shelf.self)),
    ]
}

/// What lies on a shelf; its name is that of its number.
struct Thing: Record {
    var id = 0
    var shelf = 0
    var label = ""

    static let fields: Fields<Thing> = [
        RecordField("shelf", \.shelf, .reference(to: Shelf.self)), RecordField("label", \.label, .sorted),
    ]
}

@MainActor
final class ShelvesModule: FeatureModule {
    static let migrations = Migration.records(Shelf.self, Thing.self)

    func register(in registry: ModuleRegistry) {
        registry.records(Thing.self, live: .resource("v1/things"), local: .table, mock: .samples([]))
        registry.records(Shelf.self, live: .resource("v1/shelves"), local: .table, mock: .samples([]))
    }
}

/// Holds calls until it is opened.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private(set) var arrivals = 0

    func pass() async throws {
        arrivals += 1
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        try Task.checkCancellation()
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

/// Samples whose creations, or reads of one record, are held.
private struct HeldService<Item: Record>: RecordService {
    let gate: Gate
    var heldID: Item.ID?
    let base = SampleRecordService<Item>([], edge: [], behavior: .success, clock: FixedClock())

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> { try await base.page(query) }

    func record(_ id: Item.ID) async throws -> Item {
        if id == heldID { try await gate.pass() }
        return try await base.record(id)
    }

    func create(_ record: Item) async throws -> Item {
        if heldID == nil { try await gate.pass() }
        return try await base.create(record)
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        try await base.update(id, changes)
    }

    func delete(_ id: Item.ID) async throws -> Item? { try await base.delete(id) }
}

/// A module that takes things out of a shelf before it is deleted.
@MainActor
private final class EmptyingModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.records(Shelf.self, live: .unavailable, local: .table, mock: .samples([])) {
            $0.rules = { context in
                let shelves: any RecordService<Shelf> = try context.service()
                return RecordRules {
                    $0.beforeDelete = { shelf in
                        var query = RecordQuery<Shelf>()
                        query.filters["outer"] = "\(shelf.id)"
                        for inner in try await shelves.all(query) {
                            var free = inner
                            free.outer = nil
                            _ = try await shelves.update(inner.id, RecordChanges(to: free, from: inner))
                        }
                    }
                }
            }
        }
    }
}

@Suite("References between records", .timeLimit(.minutes(5)))
@MainActor
struct RecordReferenceTests {
    enum Kind: CaseIterable { case mock, sqlite, postgresql }

    /// Shelf 1, shelf 2 inside it, and thing 1 on shelf 2.
    private struct World {
        let container: TestContainer
        let owner: AnyObject?
        @MainActor var shelves: RecordRepository<Shelf> { get throws { try container.repository() } }
        @MainActor var things: RecordRepository<Thing> { get throws { try container.repository() } }

        @MainActor
        init(_ kind: Kind) async throws {
            container = try TestContainer(ShelvesModule.self)
            switch kind {
            case .mock: owner = nil
            case .sqlite:
                let storage = TemporaryDatabase(owner: "Shelves", migrations: ShelvesModule.migrations)
                try Self.use(storage.database, in: container)
                owner = storage
            case .postgresql:
                var limits = Limits()
                limits.repeatsWrites = false
                let database = try PostgreSQLEngine(limits).database(
                    of: unique("Shelves"), migrations: ShelvesModule.migrations,
                    at: try PostgreSQLServer.shared().url)
                try Self.use(database, in: container)
                owner = nil
            }
            _ = try await shelves.create(Shelf(name: "Hall"))
            _ = try await shelves.create(Shelf(name: "Nook", outer: 1))
            _ = try await things.create(Thing(shelf: 2, label: "Vase"))
        }

        @MainActor
        private static func use(_ database: any Database, in container: TestContainer) throws {
            try container.override((any RecordService<Shelf>).self) {
                TableRecordService(database: database, clock: FixedClock())
            }
            try container.override((any RecordService<Thing>).self) {
                TableRecordService(database: database, clock: FixedClock())
            }
        }
    }

    private func messages(_ work: () async throws -> Void) async -> [String] {
        do {
            try await work()
            return []
        } catch let error as ValidationError {
            return error.findings.map { "\($0.field ?? "")\($0.line.map { " \($0)" } ?? ""): \($0.message)" }
        } catch let error as any ExplainedError {
            return [error.message]
        } catch {
            return ["\(error)"]
        }
    }

    @Test("A reference to a missing record is refused, and nothing is stored", arguments: Kind.allCases)
    func missing(_ kind: Kind) async throws {
        let world = try await World(kind)
        let (shelves, things) = (try world.shelves, try world.things)
        let folder = TemporaryFolder()
        folder.write("shelf,label\n1,A\n9,B\n2,C\n9,D\n".utf8, to: "a.csv")
        let file = try RecordFile<Thing>(folder.path("a.csv"), format: nil)

        #expect(
            await messages { _ = try await things.create(Thing(shelf: 9, label: "x")) }
                == ["shelf: There is no shelf 9."])
        #expect(
            await messages { _ = try await things.create(Thing(label: "x")) } == [
                "shelf: The shelf is required."
            ])
        #expect(
            await messages { _ = try await things.create(Thing(shelf: -1, label: "x")) }
                == ["shelf: The shelf must be the id of a shelf, not -1."])
        #expect(
            await messages {
                _ = try await shelves.update(1, RecordChanges(Shelf(outer: 9), fields: ["outer"]))
            }
                == ["outer: There is no shelf 9."])
        let imported = await messages { _ = try await things.importAll(from: file) { _ in } }
        #expect(imported == ["shelf 3: There is no shelf 9.", "shelf 5: There is no shelf 9."])

        #expect(try await things.all(RecordQuery()).map(\.label) == ["Vase"])
        #expect(try await shelves.record(1).outer == nil)
        #expect(try await shelves.update(2, RecordChanges(Shelf(), fields: ["outer"])).outer == nil)
    }

    @Test("A record is not deleted while another one refers to it", arguments: Kind.allCases)
    func deletion(_ kind: Kind) async throws {
        let world = try await World(kind)
        let (shelves, things) = (try world.shelves, try world.things)

        #expect(
            await messages { try await shelves.delete(2) }
                == ["Shelf 2 can't be deleted: 1 thing refers to it."])
        #expect(
            await messages { try await shelves.delete(1) }
                == ["Shelf 1 can't be deleted: 1 shelf refers to it."])
        #expect(try await shelves.deleteAll(RecordQuery()) { _ in } == nil)

        try await things.delete(1)
        try await shelves.delete(2)
        try await shelves.delete(1)
        #expect(try await shelves.page(RecordQuery()).total == 0)
    }

    @Test("A rule may clear the references before the deletion")
    func cleared() async throws {
        let shelves = try TestContainer(EmptyingModule.self).repository(RecordRepository<Shelf>.self)
        _ = try await shelves.create(Shelf(name: "Hall"))
        _ = try await shelves.create(Shelf(name: "Nook", outer: 1))

        try await shelves.delete(1)

        #expect(try await shelves.all(RecordQuery()).map(\.outer) == [nil])
    }

    @Test("A list shows the names, follows their changes, and is limited to one", arguments: Kind.allCases)
    func names(_ kind: Kind) async throws {
        let world = try await World(kind)
        let list = try world.container.viewModel(
            RecordListViewModel<Thing>.self, RecordListDestination<Thing>())
        try await list.load()
        func shown() -> [String] {
            list.list.rows.compactMap { list.model.names.referred(Thing.fields.all[0], of: $0)?.displayText }
        }
        #expect(shown() == ["Nook (2)"])

        _ = try await world.shelves.update(2, RecordChanges(Shelf(name: "Corner"), fields: ["name"]))
        _ = try await list.model.create(Thing(shelf: 1, label: "Box"))
        #expect(shown() == ["Hall (1)", "Corner (2)"])

        try await list.list.show(only: "1", of: "shelf")
        #expect(shown() == ["Hall (1)"])
        #expect(list.list.rows.map(\.recordName) == ["Thing 2"])
    }

    @Test("A name is read again with its list: a change that nobody announced is shown")
    func renamed() async throws {
        let world = try await World(.mock)
        let list = try world.container.viewModel(
            RecordListViewModel<Thing>.self, RecordListDestination<Thing>())
        try await list.load()
        let service: any RecordService<Shelf> = try world.container.service()
        _ = try await service.update(2, RecordChanges(Shelf(name: "Corner"), fields: ["name"]))
        // As after five minutes, or with another user.
        try world.shelves.invalidate()

        try await list.load()

        let shown = list.list.rows.map { list.model.names.referred(Thing.fields.all[0], of: $0)?.displayText }
        #expect(shown == ["Corner (2)"])
    }

    @Test("A record is not deleted while one that refers to it is being created")
    func race() async throws {
        let (container, gate) = (try TestContainer(ShelvesModule.self), Gate())
        let service = HeldService<Thing>(gate: gate)
        try container.override((any RecordService<Thing>).self) { service }
        let shelves = try container.repository(RecordRepository<Shelf>.self)
        let things = try container.repository(RecordRepository<Thing>.self)
        _ = try await shelves.create(Shelf(name: "Hall"))

        let creation = Task { try await things.create(Thing(shelf: 1, label: "Vase")) }
        while await gate.arrivals == 0 { await Task.yield() }
        let deletion = Task { try await shelves.delete(1) }
        for _ in 0..<100 { await Task.yield() }
        await gate.open()

        #expect(try await creation.value.shelf == 1)
        let messages = await messages { _ = try await deletion.value }
        #expect(messages == ["Shelf 1 can't be deleted: 1 thing refers to it."])
    }

    @Test("Of two commands that set a field the later one holds; a cancelled one sets nothing")
    func settings() async throws {
        let (container, gate) = (try TestContainer(ShelvesModule.self), Gate())
        let service = HeldService<Shelf>(gate: gate, heldID: 1)
        try container.override((any RecordService<Shelf>).self) { service }
        let shelves = try container.repository(RecordRepository<Shelf>.self)
        for name in ["Hall", "Nook"] { _ = try await shelves.create(Shelf(name: name)) }
        let first = try container.viewModel(RecordFormViewModel<Thing>.self, Int?.none).form
        let second = try container.viewModel(RecordFormViewModel<Thing>.self, Int?.none).form

        let earlier = Task { try await first.setChecked("shelf", to: "1") }
        let cancelled = Task { try await second.setChecked("shelf", to: "1") }
        while await gate.arrivals < 2 { await Task.yield() }
        try await first.setChecked("shelf", to: "2")
        cancelled.cancel()
        await gate.open()

        try await earlier.value
        #expect(first.draft.shelf == 2)
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(second.draft.shelf == 0)
    }

    @Test("A name that can't be read is the id, and the list is there all the same")
    func unnamed() async throws {
        let world = try await World(.mock)
        world.container.mock("ShelfService")?.scenario = MockScenario(.error)
        let list = try world.container.viewModel(
            RecordListViewModel<Thing>.self, RecordListDestination<Thing>())

        try await list.load()

        let referred = list.list.rows.map { list.model.names.referred(Thing.fields.all[0], of: $0) }
        #expect(referred.map(\.?.displayText) == ["2"])
        #expect(referred.map(\.?.json) == [2])
    }

    @Test("A reference to what is no record of the module is a finding, with file and line")
    func unregistered() {
        let infrastructure = ModuleScope.Infrastructure(
            database: TemporaryDatabase(owner: "Wrong", migrations: []).database, clock: FixedClock(),
            logger: RecordingLog().logger, analytics: RecordingAnalytics(), configuration: Configuration([:]))
        let registry = ModuleRegistry(scope: ModuleScope(name: "Wrong", infrastructure: infrastructure))
        registry.records(Thing.self, live: .unavailable, local: .table, mock: .samples([]))

        registry.close()

        #expect(Thing.fields.problems == [] && Shelf.fields.problems == [])
        #expect(registry.findings.map(\.code) == [.badRecord])
        #expect(
            registry.findings.first?.message.contains(
                "RecordReferenceTests.swift:28: the field 'shelf' refers to Shelf, which the module does not register"
            )
                == true)
    }

    @Test("A form takes a record that is there, typed or chosen from a list")
    func form() async throws {
        let host = try await TestHost(ShelvesModule.self)
        try await host.run("shelves create Hall")
        try await host.run("open things/new")

        await #expect(throws: ServiceError.self) { try await host.run("set shelf 9") }
        await #expect(throws: ServiceError.self) { try await host.run("set shelf Hall") }
        #expect(try await host.run("set label Vase").json["shelf"] == .null)
        #expect(try await host.run("choose-shelf").json["rows"] == [["id": 1, "name": "Hall"]])
        #expect(host.completions(of: "choose ").contains("1"))
        await #expect(throws: ServiceError.self) { try await host.run("choose 9") }
        #expect(try await host.run("choose 1").text().contains("Shelf  Hall (1)"))
        #expect(try await host.run("save").json["shelf"] == 1)
        #expect(try await host.run("things list --shelf 1").text().contains("1 thing with shelf 1,"))
    }

    private func choice(_ container: TestContainer) throws -> RecordChoiceViewModel<Thing> {
        try container.viewModel(
            RecordChoiceViewModel<Thing>.self, RecordValuesQuery(field: "shelf", limit: 1))
    }

    @Test(
        "If the records to choose from can't be read, nothing is shown, and one that is not there is refused")
    func unknownChoices() async throws {
        let container = try TestContainer(ShelvesModule.self)
        let viewModel = try choice(container)
        container.mock("ShelfService")?.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.self) { try await viewModel.load() }

        #expect(viewModel.total == nil)
        container.mock("ShelfService")?.scenario = MockScenario()
        await #expect(throws: ServiceError.self) { try await viewModel.choose(RecordKey(1)) }
    }

    @Test("There may be no records to choose from, or more than are listed")
    func choices() async throws {
        let container = try TestContainer(ShelvesModule.self)
        let viewModel = try choice(container)

        try await viewModel.load()

        #expect(viewModel.rows.isEmpty && viewModel.total == 0)
        let shelves = try container.repository(RecordRepository<Shelf>.self)
        for name in ["Hall", "Nook"] { _ = try await shelves.create(Shelf(name: name)) }
        try await viewModel.load()
        #expect(viewModel.rows == [NamedRecord(id: RecordKey(1), name: "Hall")] && viewModel.total == 2)
        // Not listed, but there.
        _ = try await viewModel.choose(RecordKey(2))
    }

    @Test("By use, the records that most others refer to come first, also those that the names leave out")
    func mostUsed() async throws {
        let container = try TestContainer(ShelvesModule.self)
        let shelves = try container.repository(RecordRepository<Shelf>.self)
        for name in ["Attic", "Hall", "Nook"] { _ = try await shelves.create(Shelf(name: name)) }
        let things = try container.repository(RecordRepository<Thing>.self)
        for shelf in [2, 3, 3] { _ = try await things.create(Thing(shelf: shelf, label: "Vase")) }

        for (limit, names) in [(3, ["Nook", "Hall", "Attic"]), (1, ["Nook"])] {
            let viewModel = try container.viewModel(
                RecordChoiceViewModel<Thing>.self,
                RecordValuesQuery(field: "shelf", sort: .mostUsed, limit: limit))
            try await viewModel.load()
            #expect(viewModel.rows.map(\.name) == names && viewModel.total == 3)
        }
    }

    @Test("A server checks references itself: nothing is asked before a change")
    func server() async throws {
        let api = ScriptedAPIClient(tokens: AccessTokens(id: "1", accessToken: "a"))
        api.answer("POST v1/things", #"{"id": 1, "shelf": 4, "label": "Vase"}"#)
        api.answer("DELETE v1/shelves/:id", #"{"id": 4, "name": "Hall"}"#)
        let container = try TestContainer(ShelvesModule.self)
        try container.override((any RecordService<Shelf>).self) {
            ResourceRecordService(api: api, path: "v1/shelves")
        }
        try container.override((any RecordService<Thing>).self) {
            ResourceRecordService(api: api, path: "v1/things")
        }

        _ = try await container.repository(RecordRepository<Thing>.self).create(
            Thing(shelf: 4, label: "Vase"))
        _ = try await container.repository(RecordRepository<Shelf>.self).delete(4)

        #expect(api.calls.map(\.description) == ["POST v1/things", "DELETE v1/shelves/4"])
    }
}
