import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Staged changes")
@MainActor
struct StagedChangeTests {
    private let container = Container(environment: .mock)
    private let tools: ModuleScope

    init() throws {
        tools = try container.add(module: "Tools", Workshop.tools(1)).scope
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        try container.add(module: "Paint", Workshop.paint)
        try container.add(module: "Orders", requires: ["Bench", "Paint"], Workshop.orders)
    }

    private var orders: OrderBook {
        get throws { try container.resolve(OrderBook.self, .aggregateModel) }
    }

    /// Stages an update of the tools to `edition`, and an additional module.
    private func update(of scope: ModuleScope? = nil, edition: Int = 2) throws -> StagedChange {
        let change = StagedChange(of: container)
        change.remove(scope ?? tools)
        try change.add(.of("Tools", generation: edition, Workshop.tools(edition)))
        try change.add(
            .of("Extra") { $0.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() } })
        return change
    }

    /// The nodes and edges of the graph as text, for comparison.
    private var picture: [String] {
        let graph = container.graph
        return graph.nodes.map { "\($0.module ?? "-") \($0.name) \($0.isBuilt) \($0.builds)" }
            + graph.edges.map { "\($0.from) \($0.kind) \($0.to)" }
    }

    @Test("A staged change is invisible before it is published")
    func invisible() throws {
        let kept = try orders
        weak let saw = kept.bench.saw
        let (count, before) = (container.count, picture)

        let change = try update()
        let next = try change.next.resolve(OrderBook.self, .aggregateModel)

        #expect(next.bench.saw.edition == 2)
        #expect(next !== kept && next.paint === kept.paint)
        #expect(container.count == count && picture == before)
        #expect(try orders === kept)
        #expect(saw?.edition == 1)
        #expect(!tools.isRetired)
        #expect(throws: ResolutionError.self) { try container.resolve(Warehouse.Ledger.self, .repository) }
    }

    @Test("A module that a change adds can be removed from it again")
    func removedWithin() throws {
        let change = StagedChange(of: container)
        let registry = ModuleRegistry.of("Extra") {
            $0.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
        }
        try change.add(registry)
        let scope = try #require(registry.registrations.first?.owner)

        change.remove(scope)
        try change.publish()

        #expect(throws: ResolutionError.self) { try container.resolve(Warehouse.Ledger.self, .repository) }
    }

    @Test("A change in place registers in the container itself; discarding it removes its registrations")
    func inPlace() throws {
        let container = Container(environment: .mock)
        let kept = StagedChange(of: container, inPlace: true)
        try kept.add(.of("Extra") { $0.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() } })
        #expect(kept.next === container)
        try kept.publish()
        #expect(throws: Never.self) { try container.resolve(Warehouse.Ledger.self, .repository) }

        kept.discard()

        #expect(throws: ResolutionError.self) { try container.resolve(Warehouse.Ledger.self, .repository) }
    }

    @Test("A discarded change leaves the container unchanged and can't be published")
    func discard() throws {
        let kept = try orders
        let (count, before) = (container.count, picture)
        let change = try update()
        weak let built = try change.next.resolve(OrderBook.self, .aggregateModel)
        #expect(built != nil)

        change.discard()

        #expect(built == nil)
        #expect(container.count == count && picture == before)
        #expect(try orders === kept)
        #expect(!tools.isRetired)
        #expect(throws: RegistrationError.self) { try change.publish() }
        #expect(try orders === kept)
    }

    @Test("Publishing applies a change as planned: affected values are released, others stay")
    func publish() throws {
        let shelf = try container.resolve(PaintShelf.self, .useCase)
        weak let old = try orders
        weak let saw = try container.resolve(Saw.self, .service)
        let change = try update()
        let plan = change.plan

        let done = try change.publish()

        #expect(Set(done.changed.map(\.name)) == ["Saw", "Ledger"])
        #expect(Set(done.affected.map(\.name)) == ["Bench", "OrderBook"])
        #expect(Set(plan.changed) == Set(done.changed) && Set(plan.affected) == Set(done.affected))
        #expect(old == nil && saw == nil)
        #expect(tools.isRetired)
        #expect(try orders.bench.saw.edition == 2)
        #expect(try container.resolve(PaintShelf.self, .useCase) === shelf)
        #expect(try orders.paint === shelf.paint)
        #expect(container.count == 6)
    }

    @Test("A change that was staged before another change took effect is refused and changes nothing")
    func outdated() throws {
        let change = try update()
        let second = try container.add(module: "Books", Shop.register).scope
        let before = picture

        let error = #expect(throws: RegistrationError.self) { try change.publish() }
        container.remove(second)

        #expect(error?.code == .outdated)
        #expect(
            error?.message == "The container was changed while another change of it was being prepared.")
        #expect(error?.hint == "Prepare the change again.")
        #expect(before.contains { $0.hasPrefix("Tools Saw") } && !tools.isRetired)
        #expect(try orders.bench.saw.edition == 1)
    }

    @Test("A type that the next state provides is refused; modules added to the change before stay staged")
    func duplicate() throws {
        let change = try update()

        let error = #expect(throws: RegistrationError.self) {
            try change.add(.of("Forge", Workshop.tools(9)))
        }
        try change.publish()

        #expect(
            error?.message
                == "Module 'Forge' can't register Saw as a service: module 'Tools' already provides it.")
        #expect(try orders.bench.saw.edition == 2)
    }

    @Test("After a module is removed only its dependents can't be built")
    func removal() throws {
        _ = try orders
        let change = StagedChange(of: container)
        change.remove(tools)

        try change.publish()
        let error = #expect(throws: ResolutionError.self) { try orders }

        #expect(
            error?.message
                == "No active module registers Saw as a service; module 'Tools', which did, "
                + "was removed or updated: OrderBook → Bench → Saw.")
        #expect(throws: Never.self) { try container.resolve(PaintShelf.self, .useCase) }
    }

    @Test("Several changes can be published in a row")
    func series() throws {
        var scope = tools
        for edition in 2...5 {
            let change = StagedChange(of: container)
            let next = ModuleScope.named("Tools", generation: edition)
            let registry = ModuleRegistry(scope: next)
            Workshop.tools(edition)(registry)
            change.remove(scope)
            try change.add(registry)
            try change.publish()
            scope = next

            #expect(try orders.bench.saw.edition == edition)
        }
        #expect(container.count == 5)
    }
}
