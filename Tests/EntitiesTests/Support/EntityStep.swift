import TestSupport

@testable import AtriumKit
@testable import Entities

/// A random change to a store.
enum EntityStep {
    case create(EntityDraft)
    case update(Int, EntityChanges)
    case delete(Int)

    private static let names = [
        "a", "A", "b", "Ä", "é", "e\u{301}", "É", "_", "%", "灯", "aa", "zz top", "Zz toP", "\"q\"",
        "\"\u{301}q",
        "İstanbul", "ß ẞ ss", "Σίσυφος", "👩‍👩‍👧‍👦 family", "x\u{FFFD}y", "x\u{FFFE}y", "𐐀𐐨 deseret",
    ]

    static func random(using random: inout SeededGenerator) -> EntityStep {
        let name = names.randomElement(using: &random)
        let category = Bool.random(using: &random) ? ["a", "A", "b"].randomElement(using: &random) : nil
        let id = Int.random(in: 1...60, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .update(id, EntityChanges(name: name, category: category))
        case 1: return .delete(id)
        default: return .create(EntityDraft(name: name ?? "", category: category, notes: category))
        }
    }

    /// Performs the change and describes its result, without times.
    func perform(on service: any RecordService<Entity>) async -> String {
        do {
            let entity =
                switch self {
                case .create(let draft): try await service.create(draft)
                case .update(let id, let changes): try await service.update(id, changes)
                case .delete(let id): try await service.delete(id) ?? Entity()
                }
            return "\(entity.id) \(entity.name) \(entity.category ?? "-") \(entity.notes ?? "-")"
        } catch {
            return (error as? ServiceError)?.message ?? "\(error)"
        }
    }

    /// Queries in every order, with and without filters, in small pages.
    static var queries: [EntityQuery] {
        var queries: [EntityQuery] = []
        for sort in EntitySort.allCases {
            for category in [nil, "a", "B", "x"] {
                for search in [nil, "a", "É", "_", "zz t", "\"\u{301}q", "\u{FFFD}y", "x\u{FFFE}y", "σίσυ"] {
                    for page in 1...2 {
                        queries.append(
                            EntityQuery(page: page, size: 7, sort: sort, category: category, search: search))
                    }
                }
            }
        }
        return queries
    }

    static var categoryQueries: [CategoryQuery] {
        CategorySort.allCases.flatMap { sort in (1...3).map { CategoryQuery(sort: sort, limit: $0) } }
    }
}

extension Store {
    /// All stores except the mock, with which they are compared.
    static var others: [Store] { allCases.filter { $0 != .mock } }
}
