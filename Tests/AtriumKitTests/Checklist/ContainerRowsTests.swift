import Testing

@_spi(Host) @testable import AtriumKit

/// A value with a serial number.
private class Numbered {
    let number: Int

    @MainActor
    init(_ counter: Counter) {
        number = counter.next()
    }
}

private final class Store: Numbered {}
private final class Rule: Numbered {}
private final class Book: Numbered {}

private final class BookViewModel: ViewModel {
    let store: Store
    let title: String
    let pages: Int

    init(store: Store, title: String, pages: Int) {
        self.store = store
        self.title = title
        self.pages = pages
    }
}

@Suite("Shared services, repositories and factories of the container")
@MainActor
struct ContainerRowsTests {
    private let container = Container(environment: .mock)
    private let counters = (store: Counter(), rule: Counter(), book: Counter())

    @discardableResult
    private func add(generation: Int = 1) throws -> ModuleScope {
        try container.add(module: "Books", generation: generation) { [counters] registry in
            registry.service(Store.self) { _ in Store(counters.store) }
            registry.repository(Book.self) { context in
                let _: Store = try context.service()
                return Book(counters.book)
            }
            registry.useCase(Rule.self) { context in
                let _: Book = try context.repository()
                return Rule(counters.rule)
            }
        }.scope
    }

    private var counts: [Int] { [counters.store.count, counters.book.count, counters.rule.count] }

    @Test("Registering builds nothing; the first request builds what it needs, and nothing else")
    func lazy() throws {
        try add()
        #expect(counts == [0, 0, 0])

        _ = try container.resolve(Store.self, .service)
        #expect(counts == [1, 0, 0])

        _ = try container.resolve(Rule.self, .useCase)
        #expect(counts == [1, 1, 1])
    }

    @Test("Shared values are built once, transient ones on each request")
    func once() throws {
        try add()

        let rules = try (0..<5).map { _ in try container.resolve(Rule.self, .useCase) }
        let books = try (0..<5).map { _ in try container.resolve(Book.self, .repository) }

        #expect(rules.map(\.number) == [1, 2, 3, 4, 5])
        #expect(books.allSatisfy { $0 === books[0] })
        #expect(counts == [1, 1, 5])
    }

    @Test("A factory with arguments runs on each call, shares its dependencies and refuses other arguments")
    func arguments() throws {
        try add()
        try container.add(module: "Screens", requires: ["Books"]) { registry in
            registry.aggregateModel(BookViewModel.self) {
                (context: borrowing AggregateModelContext, title: String, pages: Int) in
                let _: Book = try context.repository()
                return BookViewModel(store: Store(Counter()), title: title, pages: pages)
            }
        }

        let first = try container.resolve(BookViewModel.self, .aggregateModel, "Emma", 400)
        let second = try container.resolve(BookViewModel.self, .aggregateModel, "Emma", 400)

        #expect(first !== second)
        #expect(first.title == "Emma" && first.pages == 400)
        #expect(counters.book.count == 1)
        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(BookViewModel.self, .aggregateModel, 400, "Emma")
        }
        #expect(error?.code == .argumentMismatch)
    }

    @Test("A removed module's registrations and values are gone; the next generation builds new ones")
    func unloading() throws {
        let scope = try add()
        weak let store = try container.resolve(Store.self, .service)
        weak let book = try container.resolve(Book.self, .repository)
        #expect(store != nil && book != nil)

        container.remove(scope)

        #expect(store == nil && book == nil)
        #expect(container.count == 0)
        #expect(throws: ResolutionError.self) { try container.resolve(Store.self, .service) }

        try add(generation: 2)

        #expect(try container.resolve(Book.self, .repository).number == 2)
    }

    @Test("A cycle of any length is reported with its path", arguments: 1...4)
    func circles(_ length: Int) throws {
        let names = (0..<length).map { "ring \($0)" }
        try container.add { registry in
            for (position, name) in names.enumerated() {
                // The contexts of the layers allow no cycle; code that holds the container can create one.
                registry.useCase(Rule.self, named: name) { [container, counters] _ in
                    let next = names[(position + 1) % length]
                    _ = try container.resolve(Rule.self, .useCase, named: next)
                    return Rule(counters.rule)
                }
            }
        }

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Rule.self, .useCase, named: names[0])
        }

        let ring = (names + [names[0]]).map { "Rule '\($0)'" }
        #expect(error?.code == .cycle)
        #expect(error?.message == "Dependency cycle: \(ring.joined(separator: " → ")).")
    }
}
