import AtriumStorage
import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit

/// A record with moments that its service sets, and two filtered fields.
private struct Note: Record {
    var id = 0
    var title = ""
    var shelf: String?
    var pageKind: String?
    var createdAt = Timestamp(microseconds: 0)
    var updatedAt = Timestamp(microseconds: 0)

    static let fields: Fields<Note> = [
        RecordField("title", "Its title", \.title, .searched, .sorted),
        RecordField("shelf", "Where it is", \.shelf, .filtered),
        RecordField("pageKind", "What it is on", \.pageKind, .filtered),
        RecordField("createdAt", "When it was made", \.createdAt, .createdAt, .sorted("oldest", "newest")),
        RecordField("updatedAt", "When it was changed", \.updatedAt, .updatedAt, .hidden),
    ]
}

private final class NotesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.records(
            Note.self, live: .unavailable, local: .table, mock: .samples([Note(title: "A", shelf: "x")]))
    }
}

@Suite("Moments, orders and values of records", .timeLimit(.minutes(5)))
struct RecordTimesTests {
    private let clock = FixedClock()

    private func titles(
        _ service: any RecordService<Note>, _ sort: String? = nil, _ filters: [String: String] = [:]
    ) async throws -> [String] {
        var query = RecordQuery<Note>()
        query.sort = sort.map { RecordSort($0, of: Note.self) }
        query.filters = filters
        return try await service.page(query).rows.map(\.title)
    }

    @Test(
        "A service sets the moment of creation once, and that of a change each time",
        arguments: RecordStore.checking)
    func moments(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Note.self, clock: clock)
        defer { withExtendedLifetime(owner) {} }
        let start = clock.now()

        let made = try await service.create(Note(title: "A"))
        clock.advance(seconds: 60)
        var changes = RecordChanges<Note>()
        try changes.set("title", to: "B")
        let changed = try await service.update(made.id, changes)

        #expect(made.createdAt == start && made.updatedAt == start)
        #expect(changed.createdAt == start && changed.updatedAt == clock.now() && changed.title == "B")
        #expect(try await service.record(made.id) == changed)
        #expect(throws: ValidationError.self) { try changes.set("createdAt", to: "2026-01-01T00:00:00Z") }
    }

    @Test("Orders have their own names, and a list its records in them", arguments: RecordStore.checking)
    func orders(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Note.self, clock: clock)
        defer { withExtendedLifetime(owner) {} }
        for title in ["b", "c", "a"] {
            _ = try await service.create(Note(title: title))
            clock.advance(seconds: 1)
        }

        #expect(Note.fields.orders == ["title", "-title", "oldest", "newest"])
        #expect(try await titles(service, "oldest") == ["b", "c", "a"])
        #expect(try await titles(service, "newest") == ["a", "c", "b"])
        #expect(try await titles(service, "-title") == ["c", "b", "a"])
        #expect(RecordSort("newest", of: Note.self).phrase(of: Note.self) == "newest first")
        #expect(RecordSort("-title", of: Note.self).phrase(of: Note.self) == "by title, descending")
    }

    @Test("Values are counted, each in its first spelling, in both orders", arguments: RecordStore.checking)
    func values(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Note.self, clock: clock)
        defer { withExtendedLifetime(owner) {} }
        for shelf in ["b", "A", "B", nil, "a", "b"] {
            _ = try await service.create(Note(title: "x", shelf: shelf))
        }

        let byName = try await service.values(RecordValuesQuery(field: "shelf"))
        let byUse = try await service.values(RecordValuesQuery(field: "shelf", sort: .mostUsed, limit: 1))

        #expect(byName.rows.map { "\($0.name) \($0.count)" } == ["A 2", "b 3"] && byName.total == 2)
        #expect(byUse.rows.map { "\($0.name) \($0.count)" } == ["b 3"] && byUse.total == 2)
        await #expect(throws: ValidationError.self) {
            try await service.values(RecordValuesQuery(field: "title"))
        }
    }

    @Test(
        "All records of a list are deleted, and no other; samples leave it to the model",
        arguments: RecordStore.checking)
    func deletion(_ store: RecordStore) async throws {
        let (service, owner) = try await store.make(Note.self, clock: clock)
        defer { withExtendedLifetime(owner) {} }
        for (title, shelf) in [("lamp", "a"), ("chair", "A"), ("lamp", nil)] {
            _ = try await service.create(Note(title: title, shelf: shelf))
        }
        var query = RecordQuery<Note>()
        (query.search, query.filters) = ("LAMP", ["shelf": "A"])

        let count = try await service.deleteAll(query) { _ in }

        #expect(count == (store == .samples ? nil : 1))
        #expect(try await titles(service).count == (store == .samples ? 3 : 2))
    }

    @MainActor
    @Test("Each filtered field has a screen with its values, by its plural")
    func valueScreens() async throws {
        let container = try TestContainer(NotesModule.self)

        for (link, field, title) in [
            ("notes/shelves", "shelf", "Shelves"), ("notes/page-kinds", "pageKind", "Page kinds"),
        ] {
            let view = try container.view(at: link)
            try await view.load()

            #expect(view.body.json["title"] == .string(title))
            #expect(view.actions.first?.arguments.first?.name == field)
        }
        let form = try container.view(at: "notes/new")
        #expect(
            form.actions.map(\.name).filter { $0.hasPrefix("choose") } == ["choose-shelf", "choose-pageKind"])
    }
}
