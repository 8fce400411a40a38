import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Containers that replace something of another")
@MainActor
struct OverrideTests {
    private let parent = Container(environment: .mock)

    init() throws {
        try parent.add(module: "Tools", Workshop.tools(1))
        try parent.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        try parent.add(module: "Paint", Workshop.paint)
        try parent.add(module: "Orders", requires: ["Bench", "Paint"], Workshop.orders)
    }

    /// A child whose saw is of edition 7; nil leaves it without one.
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

    @Test("What depends on the replaced service is built in the child; everything else is the parent's")
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

    @Test("The child keeps what it built, and the parent never sees it")
    func kept() throws {
        let child = child()

        let inner = try orders(in: child)
        let outer = try orders(in: parent)

        #expect(try orders(in: child) === inner)
        #expect(outer.bench.saw.edition == 1)
        #expect(try orders(in: parent) === outer)
        #expect(parent.graph.nodes.first { $0.name == "Saw" }?.builds == 1)
    }

    @Test("What is taken away is missing in the child only")
    func takenAway() throws {
        let child = child(saw: nil)

        let error = #expect(throws: ResolutionError.self) { try orders(in: child) }

        #expect(error?.message == "No active module registers Saw as a service: OrderBook → Bench → Saw.")
        #expect(child.count == parent.count - 1)
        #expect(try orders(in: parent).bench.saw.edition == 1)
    }

    @Test("Screens of the parent are built with what the child replaces")
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

    @Test("A child of a child sees the nearest replacement")
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

    @Test("An overridden element replaces the original in its list, and what read the list is built again")
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
