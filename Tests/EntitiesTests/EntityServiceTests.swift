import AtriumKit
import AtriumTesting
import Testing

@testable import Entities

@MainActor
@Suite("Entity service")
struct EntityServiceTests {
    private let clock = FixedClock()

    @Test("What is created can be read", arguments: Store.allCases)
    func create(_ store: Store) async throws {
        let service = store.make(clock: clock)
        let draft = EntityDraft(name: "Blue 灯 👩‍👩‍👧‍👦", category: "lighting", notes: "one\ntwo")

        let created = try await service.create(draft)

        #expect(
            created
                == Entity(
                    id: 1, name: "Blue 灯 👩‍👩‍👧‍👦", category: "lighting", notes: "one\ntwo",
                    createdAt: clock.now(), updatedAt: clock.now()))
        #expect(try await service.entity(1) == created)
        #expect(try await service.page(EntityQuery()).rows == [created])
    }

    @Test("An update changes what is given and the time of the update", arguments: Store.allCases)
    func update(_ store: Store) async throws {
        let service = store.make(clock: clock)
        var entity = try await service.create(EntityDraft(name: "Lamp", category: "lighting", notes: "Old."))
        clock.advance(seconds: 60)

        let updated = try await service.update(1, EntityChanges(name: "Blue lamp", notes: ""))

        entity.name = "Blue lamp"
        entity.notes = nil
        entity.updatedAt = clock.now()
        #expect(updated == entity)
        #expect(try await service.entity(1) == entity)
        #expect(try await service.names(EntityQuery(search: "blue")) == ["Blue lamp"])
        #expect(try await service.names(EntityQuery(search: "old")) == [])
    }

    @Test("What is deleted is gone, and its id is not given again", arguments: Store.allCases)
    func delete(_ store: Store) async throws {
        let service = store.make(clock: clock)
        _ = try await service.create(EntityDraft(name: "First"))
        let last = try await service.create(EntityDraft(name: "Last"))

        #expect(try await service.delete(2) == last)

        await #expect(throws: EntityError.notFound(2)) { try await service.entity(2) }
        #expect(try await service.create(EntityDraft(name: "Next")).id == 3)
        #expect(try await service.page(EntityQuery()).total == 2)
    }

    @Test(
        "What is not there can't be read, changed or deleted", arguments: Store.allCases,
        [0, -1, 42, Int.max])
    func notFound(_ store: Store, _ id: Int) async throws {
        let service = store.make(clock: clock)
        let only = try await service.create(EntityDraft(name: "Only"))

        await #expect(throws: EntityError.notFound(id)) { try await service.entity(id) }
        await #expect(throws: EntityError.notFound(id)) {
            try await service.update(id, EntityChanges(name: "x"))
        }
        await #expect(throws: EntityError.notFound(id)) { try await service.delete(id) }
        #expect(try await service.page(EntityQuery()).rows == [only])
    }

    // MARK: - Order

    /// Creates, a minute apart: lamp, Chair, LAMP, (at the same time) apple, Äpfel, zebra.
    private func filled(_ store: Store) async throws -> any EntityService {
        let service = store.make(clock: clock)
        for name in ["lamp", "Chair", "LAMP", "apple", "Äpfel", "zebra"] {
            if name != "apple" { clock.advance(seconds: 60) }
            _ = try await service.create(
                EntityDraft(name: name, category: name.lowercased() == "lamp" ? "Light" : nil))
        }
        return service
    }

    @Test(
        "Lists have four orders; among equals the id decides", arguments: Store.allCases,
        [
            (EntitySort.name, ["apple", "Chair", "lamp", "LAMP", "zebra", "Äpfel"]),
            (.nameDescending, ["Äpfel", "zebra", "LAMP", "lamp", "Chair", "apple"]),
            (.oldest, ["lamp", "Chair", "LAMP", "apple", "Äpfel", "zebra"]),
            (.newest, ["zebra", "Äpfel", "apple", "LAMP", "Chair", "lamp"]),
        ])
    func order(_ store: Store, _ expected: (sort: EntitySort, names: [String])) async throws {
        let service = try await filled(store)

        #expect(try await service.names(EntityQuery(sort: expected.sort)) == expected.names)
    }

    @Test("Every order works within a category and a search", arguments: Store.allCases, EntitySort.allCases)
    func filteredOrder(_ store: Store, _ sort: EntitySort) async throws {
        let service = try await filled(store)
        let ascending = [.name, .oldest].contains(sort)

        for query in [
            EntityQuery(sort: sort, category: "light"), EntityQuery(sort: sort, search: "lamp"),
            EntityQuery(sort: sort, category: "light", search: "a"),
        ] {
            #expect(try await service.names(query) == (ascending ? ["lamp", "LAMP"] : ["LAMP", "lamp"]))
        }
    }

    // MARK: - Filters

    @Test(
        "A search finds text in name, category and notes, in any case and as it stands",
        arguments: Store.allCases,
        [
            ("LAMP", ["Blue lamp", "Lampshade"]),
            ("lampshade", ["Lampshade"]),
            ("LIGHT", ["Blue lamp", "Lampshade"]),
            ("fragile", ["Vase"]),
            ("100%", ["100% wool_blanket"]),
            ("%", ["100% wool_blanket"]),
            ("l_b", ["100% wool_blanket"]),
            ("_", ["100% wool_blanket"]),
            ("'", ["O'Brien's \"chair\""]),
            ("\"", ["O'Brien's \"chair\""]),
            ("łódź", ["Żółta Łódź"]),
            ("lodz", []),
            ("灯", ["蓝色的灯"]),
            ("👧", ["👩‍👩‍👧‍👦 family"]),
            ("nothing like it", []),
            ("lamplight", []),
            ("*", []),
            ("\\", []),
        ])
    func search(_ store: Store, _ expected: (text: String, names: [String])) async throws {
        let service = store.make(clock: clock)
        for draft in [
            EntityDraft(name: "Blue lamp", category: "light"),
            EntityDraft(name: "Lampshade", category: "Light"),
            EntityDraft(name: "Vase", notes: "Very\nFRAGILE."), EntityDraft(name: "100% wool_blanket"),
            EntityDraft(name: "O'Brien's \"chair\""), EntityDraft(name: "Żółta Łódź"),
            EntityDraft(name: "蓝色的灯"), EntityDraft(name: "👩‍👩‍👧‍👦 family"),
        ] {
            _ = try await service.create(draft)
        }

        let page = try await service.page(EntityQuery(sort: .oldest, search: expected.text))

        #expect(page.rows.map(\.name) == expected.names)
        #expect(page.total == expected.names.count)
    }

    @Test(
        "A category is the whole category, in any case", arguments: Store.allCases,
        [("light", 2), ("LIGHT", 2), ("ligh", 0), ("light ", 2), ("ŁODZIE", 1), ("none", 0)])
    func category(_ store: Store, _ expected: (category: String, total: Int)) async throws {
        let service = store.make(clock: clock)
        for category in ["light", "Light", "lighting", "łodzie", nil] {
            _ = try await service.create(EntityDraft(name: "x", category: category))
        }

        let page = try await service.page(EntityQuery(category: expected.category))

        #expect(page.total == expected.total)
        #expect(page.rows.count == expected.total)
    }

    // MARK: - Categories

    @Test(
        "Categories are listed in two orders, each as it was written first", arguments: Store.allCases,
        [
            (CategoryQuery(), ["Light 3", "light e\u{301} 1", "light é 1", "seats 2", "Żółte 1"], 5),
            (
                CategoryQuery(sort: .mostUsed),
                ["Light 3", "seats 2", "light e\u{301} 1", "light é 1", "Żółte 1"], 5
            ),
            (CategoryQuery(sort: .mostUsed, limit: 2), ["Light 3", "seats 2"], 5),
            (CategoryQuery(limit: 1), ["Light 3"], 5),
        ])
    func categories(
        _ store: Store, _ expected: (query: CategoryQuery, categories: [String], total: Int)
    ) async throws {
        let service = store.make(clock: clock)
        for category in [
            nil, "Light", "seats", "LIGHT", "light é", "light e\u{301}", "light", "Seats", "Żółte",
        ] {
            _ = try await service.create(EntityDraft(name: "x", category: category))
        }

        let list = try await service.categories(expected.query)

        let shown = list.rows.map { Array("\($0.name) \($0.count)".unicodeScalars) }
        #expect(shown == expected.categories.map { Array($0.unicodeScalars) })
        #expect(list.total == expected.total)
    }

    @Test("A category is there as long as an entity is in it", arguments: Store.allCases)
    func categoriesThatGo(_ store: Store) async throws {
        let service = store.make(clock: clock)
        #expect(try await service.categories(CategoryQuery()) == CategoryList(rows: [], total: 0))
        _ = try await service.create(EntityDraft(name: "x", category: "A"))
        _ = try await service.create(EntityDraft(name: "y", category: "a"))

        _ = try await service.delete(1)
        let rest = try await service.categories(CategoryQuery())
        _ = try await service.update(2, EntityChanges(category: ""))

        #expect(rest == CategoryList(rows: [EntityCategory(name: "a", count: 1)], total: 1))
        #expect(try await service.categories(CategoryQuery()) == CategoryList(rows: [], total: 0))
    }

    // MARK: - Pages

    @Test(
        "Pages have no gaps and no overlaps", arguments: Store.allCases,
        [
            (1, 3, [1, 2, 3], true), (2, 3, [4, 5, 6], true), (3, 3, [7], false), (4, 3, [], false),
            (1, 7, [1, 2, 3, 4, 5, 6, 7], false), (1, 500, [1, 2, 3, 4, 5, 6, 7], false),
            (7, 1, [7], false), (1_000_000_000, 500, [], false),
        ])
    func pages(
        _ store: Store, _ expected: (page: Int, size: Int, ids: [Int], hasMore: Bool)
    ) async throws {
        let service = store.make(clock: clock)
        for _ in 1...7 { _ = try await service.create(EntityDraft(name: "same", category: "c")) }

        for query in [
            EntityQuery(page: expected.page, size: expected.size),
            EntityQuery(page: expected.page, size: expected.size, category: "C"),
            EntityQuery(page: expected.page, size: expected.size, search: "SAM"),
        ] {
            let page = try await service.page(query)

            #expect(page.rows.map(\.id) == expected.ids)
            #expect(page.total == 7)
            #expect(page.hasMore == expected.hasMore)
        }
    }

    @Test("The database and the mock agree, whatever happened before", arguments: 1...5)
    func agreement(_ seed: UInt64) async throws {
        let stores = Store.allCases.map { $0.make(clock: clock) }
        var random = SplitMix(state: seed)
        for _ in 1...120 {
            let step = Step.random(using: &random)
            clock.advance(seconds: Int.random(in: -1...1, using: &random))
            var outcomes: [String] = []
            for store in stores { outcomes.append(await step.perform(on: store)) }
            #expect(outcomes[0] == outcomes[1])
        }
        for sort in CategorySort.allCases {
            for limit in 1...3 {
                let query = CategoryQuery(sort: sort, limit: limit)
                let mock = try await stores[0].categories(query)
                let local = try await stores[1].categories(query)
                #expect(mock == local)
            }
        }
        for sort in EntitySort.allCases {
            for category in [nil, "a", "B", "x"] {
                for search in [nil, "a", "É", "_"] {
                    for page in 1...3 {
                        let query = EntityQuery(
                            page: page, size: 7, sort: sort, category: category, search: search)
                        let mock = try await stores[0].page(query)
                        let local = try await stores[1].page(query)
                        #expect(mock == local)
                    }
                }
            }
        }
    }
}

/// Something that happens to a store.
private enum Step {
    case create(EntityDraft)
    case update(Int, EntityChanges)
    case delete(Int)

    private static let names = ["a", "A", "b", "Ä", "é", "e\u{301}", "É", "_", "%", "灯", "aa", "zz top"]

    static func random(using random: inout SplitMix) -> Step {
        let name = names.randomElement(using: &random)
        let category = Bool.random(using: &random) ? ["a", "A", "b"].randomElement(using: &random) : nil
        let id = Int.random(in: 1...60, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .update(id, EntityChanges(name: name, category: category))
        case 1: return .delete(id)
        default: return .create(EntityDraft(name: name ?? "", category: category, notes: category))
        }
    }

    func perform(on service: any EntityService) async -> String {
        do {
            switch self {
            case .create(let draft): return "\(try await service.create(draft))"
            case .update(let id, let changes): return "\(try await service.update(id, changes))"
            case .delete(let id): return "\(try await service.delete(id))"
            }
        } catch {
            return "\(error)"
        }
    }
}

/// Random numbers that are the same each time (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
