import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Rebuilding affected values before a change is published")
@MainActor
struct RebuildTests {
    private let container = Container(environment: .mock)
    private let tools: ModuleScope
    private let built = Counter()

    init() throws {
        tools = try container.add(module: "Tools", Workshop.tools(1)).scope
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        try container.add(module: "Paint", Workshop.paint)
        try container.add(module: "Orders", requires: ["Bench", "Paint"], Workshop.orders)
    }

    private var orders: OrderBook {
        get throws { try container.resolve(OrderBook.self, .aggregateModel) }
    }

    private func change(_ register: (ModuleRegistry) -> Void) throws -> StagedChange {
        let change = StagedChange(of: container)
        change.remove(tools)
        try change.add(.of("Tools", generation: 2, register))
        return change
    }

    @Test("Rebuilt values are the ones used after publication")
    func handedOver() async throws {
        _ = try orders
        let change = try change(Workshop.tools(2))

        try change.rebuild()
        let next = try change.next.resolve(OrderBook.self, .aggregateModel)
        try change.publish()

        #expect(try orders === next)
        #expect(try container.resolve(Bench.self, .repository) === next.bench)
        #expect(try container.resolve(Saw.self, .service) === next.bench.saw)
        #expect(next.bench.saw.edition == 2)
    }

    @Test("Only values that the current state has built are rebuilt")
    func onlyBuilt() async throws {
        _ = try container.resolve(Saw.self, .service)
        let change = try change { [built] registry in
            registry.service(Saw.self) { _ in Saw(built.next()) }
        }

        try change.rebuild()
        try change.publish()

        #expect(built.count == 1)
        #expect(container.graph.nodes.filter(\.isBuilt).map(\.name) == ["Saw"])
    }

    @Test("Rebuilt values are released by the next change that affects them")
    func nextChange() async throws {
        _ = try orders
        let change = try change(Workshop.tools(2))
        try change.rebuild()
        try change.publish()
        let handedOver = try orders
        let paint = try container.add(module: "Books", Shop.register)

        let scope = try #require(container.find(RegistrationKey(Saw.self, .service))?.registration?.owner)
        let leave = container.remove(scope)
        try container.add(module: "Tools", generation: 3, Workshop.tools(3))

        #expect(Set(leave.affected.map(\.name)) == ["Bench", "OrderBook"])
        #expect(try orders !== handedOver)
        #expect(try orders.bench.saw.edition == 3)
        #expect(!paint.scope.isRetired)
    }

    @Test("A rebuild that throws leaves the running container unchanged")
    func failure() async throws {
        let kept = try orders
        let change = try change { registry in
            registry.service(Saw.self) { _ in throw ExplainedFailure() }
        }

        let error = #expect(throws: ResolutionError.self) { try change.rebuild() }
        change.discard()

        #expect(error?.code == .factoryFailed)
        #expect(error?.cause is ExplainedFailure)
        #expect(try orders === kept)
        #expect(kept.bench.saw.edition == 1)
        #expect(!tools.isRetired)
    }

    @Test("If both states built a value, the current state's is used and its dependents are rebuilt")
    func conflict() throws {
        let change = try change(Workshop.tools(2))
        let next = try change.next.resolve(OrderBook.self, .aggregateModel)
        let shelf = try container.resolve(PaintShelf.self, .useCase)
        #expect(next.paint !== shelf.paint)

        try change.publish()

        #expect(try container.resolve(Paint.self, .repository) === shelf.paint)
        #expect(try container.resolve(PaintShelf.self, .useCase) === shelf)
        #expect(try orders.paint === shelf.paint)
        #expect(try orders !== next)
        #expect(try orders.bench === next.bench)
    }

    @Test("A value that only the next state has built is used after publication")
    func builtFirst() throws {
        let change = try change(Workshop.tools(2))
        let next = try change.next.resolve(OrderBook.self, .aggregateModel)

        try change.publish()

        #expect(try orders === next)
        #expect(try container.resolve(PaintShelf.self, .useCase).paint === next.paint)
    }
}
