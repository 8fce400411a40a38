import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Child containers with overrides")
@MainActor
struct OverrideTests {
    private let parent = Container(environment: .mock)

    init() throws {
        try parent.add(module: "Tools", Workshop.tools(1))
        try parent.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        try parent.add(module: "Paint", Workshop.paint)
        try parent.add(module: "Orders", requires: ["Bench", "Paint"], Workshop.orders)
    }

    /// Returns a child whose saw has the given edition, or that has no saw if it is nil.
    private func child(saw edition: Int? = 7) -> Container {
        let child = Container(parent: parent)
        let registration = edition.map { edition in
            ModuleRegistry.of("Tools", Workshop.tools(edition)).registrations.first
        }
        child.override(registration ?? nil, for: RegistrationKey(Saw.self, .service))
        return child
    }

    private func orders(in container: Container) throws -> OrderBook {
        try container.resolve(OrderBook.self, .aggregateModel)
    }

    @Test("Dependents of an overridden service are built in the child; all other values are the parent's")
    func replaced() throws {
        let shelf = try parent.resolve(PaintShelf.self, .useCase)
        let outer = try orders(in: parent)
        let child = child()

        let inner = try orders(in: child)

        #expect(inner.bench.saw.edition == 7)
        #expect(inner !== outer && inner.bench !== outer.bench)
        #expect(inner.paint === outer.paint)
        #expect(try child.resolve(PaintShelf.self, .useCase) === shelf)
    }

    @Test("The child retains the values that it builds, and the parent does not see them")
    func kept() throws {
        let child = child()

        let inner = try orders(in: child)
        let outer = try orders(in: parent)

        #expect(try orders(in: child) === inner)
        #expect(outer.bench.saw.edition == 1)
        #expect(try orders(in: parent) === outer)
        #expect(parent.graph.nodes.first { $0.name == "Saw" }?.builds == 1)
    }

    @Test("A registration that is removed in the child is missing only there")
    func takenAway() throws {
        let child = child(saw: nil)

        let error = #expect(throws: ResolutionError.self) { try orders(in: child) }

        #expect(error?.message == "No active module registers Saw as a service: OrderBook → Bench → Saw.")
        #expect(child.count == parent.count - 1)
        #expect(try orders(in: parent).bench.saw.edition == 1)
    }

    @Test("A screen of the parent that is built in a child uses the child's overrides")
    func screens() throws {
        let registry = ModuleRegistry.of("Shop", Shop.register)
        try parent.add(registry)
        let child = Container(parent: parent)
        let other = ModuleRegistry.of("Shop") { registry in
            registry.service((any PriceService).self) { _ in NamedPriceService(name: "replaced") }
        }
        child.override(other.registrations[0], for: RegistrationKey((any PriceService).self, .service))

        let names = try [parent, child, parent].map { container in
            for _ in 0..<2 { _ = try registry.screens[0].build(PriceList(category: "x"), in: container) }
            let screen = try registry.screens[0].build(PriceList(category: "x"), in: container)
            return (screen.view as? PriceView)?.viewModel.basket.rule.prices.service.name
        }

        #expect(names == ["mock", "replaced", "mock"])
    }

    @Test("A child of a child uses the nearest override")
    func nested() throws {
        let child = child()
        let grandchild = Container(parent: child)
        let twelve = ModuleRegistry.of("Tools", Workshop.tools(12)).registrations.first
        let before = try orders(in: grandchild).bench.saw.edition

        grandchild.override(twelve, for: RegistrationKey(Saw.self, .service))

        #expect(before == 7)
        #expect(try orders(in: grandchild).bench.saw.edition == 12)
        #expect(try orders(in: child).bench.saw.edition == 7)
    }

    @Test("An overridden contribution replaces the original in its list, and the list's reader is rebuilt")
    func contribution() throws {
        let point = ContributionPoint<Saw>("saws")
        let registry = ModuleRegistry.of("Saws") { registry in
            for edition in 1...3 { registry.contribute(to: point, order: edition) { _ in Saw(edition) } }
            registry.useCase([Int].self, lifetime: .shared) {
                try $0.contributions(to: point).map(\.value.edition)
            }
        }
        try parent.add(registry)
        let before = try parent.resolve([Int].self, .useCase)
        let other = ModuleRegistry.of("Saws") { registry in
            registry.contribute(to: point, order: 2) { _ in Saw(20) }
        }.registrations[0]
        let child = Container(parent: parent)

        child.override(other, for: registry.registrations[1].key)

        #expect(before == [1, 2, 3])
        #expect(try child.resolve([Int].self, .useCase) == [1, 20, 3])
        #expect(try parent.resolve([Int].self, .useCase) == [1, 2, 3])
    }
}
