import Testing

@_spi(Host) @testable import AtriumKit

@Suite("The dependency graph")
@MainActor
struct GraphTests {
    private let container = Container(environment: .mock)

    private func edges(of graph: DependencyGraph) -> [String] {
        graph.edges.map { "\(graph.nodes[$0.from].name) \($0.kind.rawValue) \(graph.nodes[$0.to].name)" }
    }

    @Test("Before any build the graph has nodes, sorted by module and layer, and no edges")
    func nodes() throws {
        try container.add(module: "Shop", Shop.register)
        try container.add(module: "Archive") { registry in
            registry.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
        }

        let nodes = container.graph.nodes

        #expect(
            nodes.map(\.name) == [
                "Ledger", "prices/:category", "PriceViewModel", "Basket", "DiscountRule", "PriceRepository",
                "PriceService",
            ])
        #expect(nodes.map(\.module) == ["Archive"] + Array(repeating: "Shop", count: 6))
        #expect(
            nodes.map(\.layer) == [
                .repository, .screen, .viewModel, .aggregateModel, .useCase, .repository, .service,
            ])
        #expect(
            nodes.map(\.lifetime) == [
                .shared, .transient, .transient, .shared, .transient, .shared, .shared,
            ])
        #expect(nodes[2].arguments == ["String"] && nodes[3].arguments.isEmpty)
        #expect(nodes[6].environments == [.mock, .local] && nodes[5].environments.isEmpty)
        #expect(nodes.allSatisfy { !$0.isBuilt && $0.builds == 0 })
        #expect(container.graph.edges.isEmpty)
    }

    @Test("A build records the edges of every factory that ran, and is counted")
    func edges() throws {
        let registry = try container.add(module: "Shop", Shop.register).registry

        _ = try registry.screens[0].build(PriceList(category: "x"), in: container)

        let graph = container.graph
        #expect(
            edges(of: graph) == [
                "prices/:category direct PriceViewModel", "PriceViewModel direct Basket",
                "Basket direct DiscountRule", "DiscountRule direct PriceRepository",
                "PriceRepository direct PriceService",
            ])
        #expect(graph.nodes.allSatisfy { $0.builds == 1 })
        #expect(
            graph.nodes.filter(\.isBuilt).map(\.name) == ["Basket", "PriceRepository", "PriceService"])
        #expect(graph.edges(from: 2).map(\.to) == [3])
        #expect(graph.edges(to: 2).map(\.from) == [1])
    }

    @Test("A provider records a deferred edge; a list records edges to itself and to each contribution")
    func kinds() throws {
        let point = ContributionPoint<Paint>("paints")
        try container.add(module: "Paint", requires: ["Tools"]) { registry in
            registry.contribute(to: point) { _ in Paint() }
            registry.repository(PaintShelf.self) { context in
                let _: Provider<Saw> = context.serviceProvider()
                return PaintShelf(paint: Paint())
            }
            registry.useCase([Paint].self) { context in
                _ = try context.repository(PaintShelf.self)
                return try context.contributions(to: point).map(\.value)
            }
        }
        try container.add(module: "Tools", Workshop.tools(1))

        _ = try container.resolve([Paint].self, .useCase)

        #expect(
            Set(edges(of: container.graph)) == [
                "PaintShelf deferred Saw", "Array<Paint> direct PaintShelf",
                "Array<Paint> contributions Paint 'paints'",
                "Array<Paint> direct Paint 'paints, Paint 1'",
                "Paint 'paints' contributions Paint 'paints, Paint 1'",
            ])
    }

    @Test("A dependency that is not registered is listed first, without a module")
    func missing() throws {
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)

        #expect(throws: ResolutionError.self) { try container.resolve(Bench.self, .repository) }
        let before = container.graph
        try container.add(module: "Tools", Workshop.tools(1))
        let after = container.graph

        #expect(before.nodes.map(\.name) == ["Saw", "Bench"])
        #expect(before.nodes.map(\.module) == [nil, "Bench"])
        #expect(edges(of: before) == ["Bench direct Saw"])
        #expect(after.nodes.map(\.module) == ["Bench", "Tools"])
    }

    @Test("Releasing a value removes its edges")
    func letGo() throws {
        let tools = try container.add(module: "Tools", Workshop.tools(1)).scope
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        _ = try container.resolve(Bench.self, .repository)

        container.remove(tools)

        #expect(container.graph.nodes.map(\.name) == ["Bench"])
        #expect(container.graph.edges.isEmpty)
        #expect(container.graph.nodes[0].isBuilt == false)
    }
}
