import AtriumTesting
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

/// What every implementation of the entity service promises.
@MainActor
@Suite("Entity service contract", .timeLimit(.minutes(5)))
struct EntityServiceContractTests {
    private let clock = FixedClock()

    @Test("A created entity can be read", arguments: Store.allCases)
    func create(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let draft = EntityDraft(name: "Blue 灯 👩‍👩‍👧‍👦", category: "lighting", notes: "one\ntwo")

        let created = try await service.create(draft)

        #expect(created.id == 1)
        #expect(created.createdAt == created.updatedAt)
        #expect(try await service.texts() == [draft])
        #expect(try await service.record(1) == created)
        #expect(try await service.page(EntityQuery()).rows == [created])
    }

    @Test("Texts lose the white space around them, line breaks and tabs too", arguments: Store.allCases)
    func trimming(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let entities = EntityRepository(service: service, clock: clock)

        _ = try await entities.create(
            Entity(name: "\tLamp\r\n", category: "\u{B}light", notes: "\r\none\n\ttwo\u{85}"))
        _ = try await entities.create(Entity(name: "Chair", category: "\t", notes: "\r\n"))
        _ = try await entities.update(2, EntityChanges(name: "Stool\u{2028}", category: "\u{C}", notes: "\r"))

        let rows = try await service.page(EntityQuery(sort: .oldest)).rows
        #expect(
            rows.map { [$0.name, $0.category, $0.notes] }
                == [["Lamp", "light", "one\n\ttwo"], ["Stool", nil, nil]])
        let typed = EntityList(category: "light\n", search: "\tlamp").query()
        #expect(try await service.names(typed) == ["Lamp"])
    }

    @Test("An update changes the given fields and the update time only", arguments: Store.allCases)
    func update(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        var entity = try await service.create(EntityDraft(name: "Lamp", category: "lighting", notes: "Old."))
        clock.advance(seconds: 60)

        let updated = try await service.update(1, EntityChanges(name: "Blue lamp", notes: ""))

        #expect(updated.updatedAt > entity.updatedAt)
        entity.name = "Blue lamp"
        entity.notes = nil
        entity.updatedAt = updated.updatedAt
        #expect(updated == entity)
        #expect(try await service.record(1) == entity)
        #expect(try await service.names(EntityQuery(search: "blue")) == ["Blue lamp"])
        #expect(try await service.names(EntityQuery(search: "old")) == [])
        #expect(try await service.names(EntityQuery(search: "ol")) == [])
    }

    @Test("A deleted entity is gone, and its id is not reused", arguments: Store.allCases)
    func delete(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        _ = try await service.create(EntityDraft(name: "First"))
        let last = try await service.create(EntityDraft(name: "Last"))

        #expect(try await service.delete(2) == last)

        await #expect(throws: ServiceError.notFound(2)) { try await service.record(2) }
        #expect(try await service.page(EntityQuery(search: "last")).total == 0)
        #expect(try await service.create(EntityDraft(name: "Next")).id == 3)
        #expect(try await service.page(EntityQuery()).total == 2)
    }

    @Test("A missing entity can't be read, updated or deleted", arguments: Store.allCases)
    func notFound(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let only = try await service.create(EntityDraft(name: "Only"))

        for id in [0, -1, 42, Int.max] {
            await #expect(throws: ServiceError.notFound(id)) { try await service.record(id) }
            await #expect(throws: ServiceError.notFound(id)) {
                try await service.update(id, EntityChanges(name: "x"))
            }
            await #expect(throws: ServiceError.notFound(id)) { try await service.delete(id) }
        }
        #expect(try await service.page(EntityQuery()).rows == [only])
    }

    // MARK: - Order

    /// Creates lamp, Chair, LAMP, apple, Äpfel and zebra, a minute apart; apple at the same time as LAMP.
    private func filled(_ store: Store) async throws -> any RecordService<Entity> {
        let service = try await store.make(clock: clock)
        for name in ["lamp", "Chair", "LAMP", "apple", "Äpfel", "zebra"] {
            if name != "apple" { clock.advance(seconds: 60) }
            _ = try await service.create(
                EntityDraft(name: name, category: name.lowercased() == "lamp" ? "Light" : nil))
        }
        return service
    }

    @Test(
        "Lists have four orders, also with filters; equal entities are ordered by id",
        arguments: Store.allCases)
    func order(_ store: Store) async throws {
        let service = try await filled(store)
        let orders: [(EntitySort, [String])] = [
            (.name, ["apple", "Chair", "lamp", "LAMP", "zebra", "Äpfel"]),
            (.nameDescending, ["Äpfel", "zebra", "LAMP", "lamp", "Chair", "apple"]),
            (.oldest, ["lamp", "Chair", "LAMP", "apple", "Äpfel", "zebra"]),
            (.newest, ["zebra", "Äpfel", "apple", "LAMP", "Chair", "lamp"]),
        ]

        for (sort, names) in orders {
            #expect(try await service.names(EntityQuery(sort: sort)) == names)
            let lamps = names.filter { $0.lowercased() == "lamp" }
            for query in [
                EntityQuery(sort: sort, category: "light"), EntityQuery(sort: sort, search: "lamp"),
                EntityQuery(sort: sort, category: "light", search: "a"),
                EntityQuery(sort: sort, category: "light", search: "lam"),
            ] {
                #expect(try await service.names(query) == lamps)
            }
            let chairs = EntityQuery(sort: sort, category: "light", search: "chair")
            #expect(try await service.names(chairs) == [])
        }
    }

    // MARK: - Filters

    @Test(
        "A search finds literal text in name, category and notes, in any case",
        arguments: Store.allCases)
    func search(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for draft in [
            EntityDraft(name: "Blue lamp", category: "light"),
            EntityDraft(name: "Lampshade", category: "Light"),
            EntityDraft(name: "Vase", notes: "Very\nFRAGILE."), EntityDraft(name: "100% wool_blanket"),
            EntityDraft(name: "O'Brien's \"chair\""), EntityDraft(name: "Żółta Łódź"),
            EntityDraft(name: "蓝色的灯"), EntityDraft(name: "👩‍👩‍👧‍👦 family"),
        ] {
            _ = try await service.create(draft)
        }
        let searches: [(String, [String])] = [
            ("LAMP", ["Blue lamp", "Lampshade"]), ("lampshade", ["Lampshade"]),
            ("LIGHT", ["Blue lamp", "Lampshade"]), ("fragile", ["Vase"]),
            ("100%", ["100% wool_blanket"]), ("%", ["100% wool_blanket"]), ("l_b", ["100% wool_blanket"]),
            ("_", ["100% wool_blanket"]), ("'", ["O'Brien's \"chair\""]), ("\"", ["O'Brien's \"chair\""]),
            ("\"chair\"", ["O'Brien's \"chair\""]), ("łódź", ["Żółta Łódź"]), ("lodz", []),
            ("灯", ["蓝色的灯"]), ("色的灯", ["蓝色的灯"]), ("👧", ["👩‍👩‍👧‍👦 family"]), ("nothing like it", []),
            ("lamplight", []), ("*", []), ("\\", []), ("lam*", []), ("lamp OR vase", []), ("name:lamp", []),
        ]

        for (text, names) in searches {
            let page = try await service.page(EntityQuery(sort: .oldest, search: text))

            #expect(page.rows.map(\.name) == names, "\(text)")
            #expect(page.total == names.count, "\(text)")
        }
    }

    @Test(
        "Composed and decomposed texts find each other, also those of earlier builds",
        arguments: [Store.mock, .local, .postgresql])
    func forms(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        let entities = EntityRepository(service: service, clock: clock)
        let categories = ["zi\u{E9}", "zie\u{301}"]
        _ = try await entities.create(Entity(name: "1 \u{141}\u{104}KA", category: categories[0]))
        _ = try await entities.create(Entity(name: "2 \u{142}a\u{328}ka", category: categories[1]))
        // The repository normalizes; builds before it stored what they got.
        let values = try await service.values(RecordValuesQuery(field: "category"))
        #expect(values.rows == [RecordFieldValue(name: "zi\u{E9}", count: 2)])
        _ = try await service.create(EntityDraft(name: "3 \u{141}A\u{328}KA", category: categories[1]))

        for search in ["\u{142}\u{105}k", "\u{142}a\u{328}k", "\u{105}", "\u{104}ka", "a\u{328}k"] {
            #expect(try await service.page(EntityQuery(search: search)).rows.map(\.id) == [1, 2, 3])
            for category in categories {
                let query = EntityQuery(category: category, search: search)
                #expect(try await service.page(query).rows.map(\.id) == [1, 2, 3])
            }
        }
        for category in categories {
            let page = try await service.page(EntityQuery(category: category))
            #expect((page.rows.map(\.id), page.total) == ([1, 2, 3], 3))
        }
        #expect(try await service.page(EntityQuery(search: "lak")).total == 0)
    }

    @Test("A category filter matches the whole category, in any case", arguments: Store.allCases)
    func category(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for category in ["light", "Light", "lighting", "łodzie", nil] {
            _ = try await service.create(EntityDraft(name: "x", category: category))
        }

        for (category, total) in [
            ("light", 2), ("LIGHT", 2), ("ligh", 0), ("ŁODZIE", 1), ("none", 0),
        ] {
            let page = try await service.page(EntityQuery(category: category))

            #expect(page.total == total, "\(category)")
            #expect(page.rows.count == total, "\(category)")
        }
    }

    // MARK: - Categories

    @Test(
        "Categories are listed in two orders, each in its first spelling", arguments: Store.allCases)
    func categories(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for category in [
            nil, "Light", "seats", "LIGHT", "light é", "light e\u{301}", "light", "Seats", "Żółte",
        ] {
            _ = try await service.create(EntityDraft(name: "x", category: category))
        }
        let lists: [(CategoryQuery, [String])] = [
            (CategoryQuery(), ["Light 3", "light e\u{301} 1", "light é 1", "seats 2", "Żółte 1"]),
            (
                CategoryQuery(sort: .mostUsed),
                ["Light 3", "seats 2", "light e\u{301} 1", "light é 1", "Żółte 1"]
            ),
            (CategoryQuery(sort: .mostUsed, limit: 2), ["Light 3", "seats 2"]),
            (CategoryQuery(limit: 1), ["Light 3"]),
        ]

        for (query, categories) in lists {
            let list = try await service.values(query)

            let shown = list.rows.map { Array("\($0.name) \($0.count)".unicodeScalars) }
            #expect(shown == categories.map { Array($0.unicodeScalars) })
            #expect(list.total == 5)
        }
    }

    @Test("A category exists as long as it contains an entity", arguments: Store.allCases)
    func categoriesThatGo(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        #expect(try await service.values(CategoryQuery()) == CategoryList(rows: [], total: 0))
        _ = try await service.create(EntityDraft(name: "x", category: "A"))
        _ = try await service.create(EntityDraft(name: "y", category: "a"))

        _ = try await service.delete(1)
        let rest = try await service.values(CategoryQuery())
        _ = try await service.update(2, EntityChanges(category: ""))

        #expect(rest == CategoryList(rows: [EntityCategory(name: "a", count: 1)], total: 1))
        #expect(try await service.values(CategoryQuery()) == CategoryList(rows: [], total: 0))
    }

    // MARK: - Pages

    @Test("Pages have no gaps and no overlaps", arguments: Store.allCases)
    func pages(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for _ in 1...7 { _ = try await service.create(EntityDraft(name: "same", category: "c")) }
        let pages: [(page: Int, size: Int, ids: [Int], hasMore: Bool)] = [
            (1, 3, [1, 2, 3], true), (2, 3, [4, 5, 6], true), (3, 3, [7], false), (4, 3, [], false),
            (1, 7, [1, 2, 3, 4, 5, 6, 7], false), (1, 500, [1, 2, 3, 4, 5, 6, 7], false),
            (7, 1, [7], false), (1_000_000_000, 500, [], false),
        ]

        for expected in pages {
            for query in [
                EntityQuery(page: expected.page, size: expected.size),
                EntityQuery(page: expected.page, size: expected.size, category: "C"),
                EntityQuery(page: expected.page, size: expected.size, search: "SAM"),
            ] {
                let page = try await service.page(query)

                #expect(page.rows.map(\.id) == expected.ids)
                #expect(page.total == 7)
                let window = EntityWindow(query, Stale(page))
                #expect((window.hasMore && !page.rows.isEmpty) == expected.hasMore)
            }
        }
    }

    @Test("A page after an entity is the page that follows it, in every order", arguments: Store.allCases)
    func after(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for number in 0..<10 {
            // Equal names, and equal times at a service with our clock.
            let name = ["same", "Ärger", "zoo"][number % 3]
            _ = try await service.create(
                EntityDraft(name: name, category: number > 6 ? nil : "c", notes: "same"))
            if number % 4 == 3 { clock.advance(seconds: 1) }
        }

        for sort in EntitySort.allCases {
            for (category, search) in [(nil, nil), ("c", nil), (nil, "same"), ("c", "same")]
                as [(String?, String?)]
            {
                let all = EntityQuery(size: 100, sort: sort, category: category, search: search)
                let rows = try await service.page(all).rows
                #expect(rows.count == (category == nil ? 10 : 7))
                for page in 2...3 {
                    let query = EntityQuery(
                        page: page, size: 3, sort: sort, category: category, search: search)
                    let expected = Array(rows.dropFirst(query.offset).prefix(3))

                    let found = try await service.page(query, after: rows[query.offset - 1])

                    #expect(found == EntityPage(rows: expected, total: rows.count))
                    #expect(try await service.page(query) == found)
                }
            }
        }
    }

    @Test(
        "A page after an entity that is gone begins where it was, and repeats none",
        arguments: [Store.local, .postgresql])
    func afterDeleted(_ store: Store) async throws {
        let service = try await store.make(clock: clock)
        for name in ["a", "b", "c", "d", "e"] { _ = try await service.create(EntityDraft(name: name)) }
        let first = try await service.page(EntityQuery(size: 2))

        _ = try await service.delete(first.rows[0].id)
        _ = try await service.delete(first.rows[1].id)
        let second = try await service.page(EntityQuery(page: 2, size: 2), after: first.rows[1])

        #expect(second.rows.map(\.name) == ["c", "d"])
    }

    @Test(
        "Random steps give the same results, lists and categories as on the mock", arguments: Store.others,
        [1, 2] as [UInt64])
    func agreement(_ store: Store, _ seed: UInt64) async throws {
        let services = [
            try await Store.mock.make(clock: clock), try await store.make(clock: clock),
        ]
        var random = SeededGenerator(seed: seed)
        for _ in 1...120 {
            let step = EntityStep.random(using: &random)
            // Only forwards, because a server has its own clock.
            clock.advance(seconds: 1)
            #expect(await step.perform(on: services[0]) == step.perform(on: services[1]))
        }
        for query in EntityStep.queries {
            let pages = try await (services[0].page(query), services[1].page(query))
            #expect(pages.0.rows.map(\.id) == pages.1.rows.map(\.id), "\(query)")
            #expect(pages.0.total == pages.1.total, "\(query)")
        }
        for query in EntityStep.categoryQueries {
            let lists = try await (services[0].values(query), services[1].values(query))
            #expect(lists.0 == lists.1)
        }
    }
}
