import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("The container")
@MainActor
struct ContainerTests {
    @Test("A screen is built through all layers, with the destination's arguments and the stack's navigator")
    func allLayers() throws {
        let container = Container(environment: .mock)
        let registry = try container.add(Shop.register).registry
        let navigator = StationaryNavigator()

        let screen = try registry.screens[0].build(
            PriceList(category: "lamps"), in: container, navigator: navigator)

        let viewModel = try #require(screen.view as? PriceView).viewModel
        #expect(viewModel.category == "lamps")
        #expect(viewModel.navigator === navigator)
        #expect(viewModel.basket.rule.prices.service.name == "mock")
        #expect(screen.viewModels.map(\.name) == ["PriceViewModel"])
    }

    @Test("A shared value is built once, a transient one each time")
    func lifetimes() throws {
        let container = Container(environment: .mock)
        let built = Counter()
        try container.add { registry in
            Shop.register(in: registry)
            registry.repository(Warehouse.Ledger.self, lifetime: .transient) { _ in
                _ = built.next()
                return Warehouse.Ledger()
            }
        }

        let repositories: [PriceRepository] = [
            try container.resolve(PriceRepository.self, .repository),
            try container.resolve(PriceRepository.self, .repository),
        ]
        let rules = [
            try container.resolve(DiscountRule.self, .useCase),
            try container.resolve(DiscountRule.self, .useCase),
        ]
        let baskets = [
            try container.resolve(Basket.self, .aggregateModel),
            try container.resolve(Basket.self, .aggregateModel),
        ]
        let ledgers = [
            try container.resolve(Warehouse.Ledger.self, .repository),
            try container.resolve(Warehouse.Ledger.self, .repository),
        ]

        #expect(repositories[0] === repositories[1])
        #expect(baskets[0] === baskets[1])
        #expect(rules[0] !== rules[1])
        #expect(ledgers[0] !== ledgers[1])
        #expect(built.count == 2)
    }

    @Test("Nothing is built before it is resolved")
    func laziness() throws {
        let container = Container(environment: .mock)
        let built = Counter()

        try container.add { registry in
            registry.repository(Warehouse.Ledger.self) { _ in
                _ = built.next()
                return Warehouse.Ledger()
            }
        }

        #expect(container.count == 1)
        #expect(built.count == 0)
    }

    @Test(
        "The environment chooses the implementation of every service", arguments: [Environment.mock, .local])
    func environment(_ environment: AtriumKit.Environment) throws {
        let container = Container(environment: environment)
        try container.add(Shop.register)

        let repository = try container.resolve(PriceRepository.self, .repository)

        #expect(repository.service.name == environment.rawValue)
    }

    @Test("A service receives the infrastructure and the configuration of its own module")
    func infrastructure() throws {
        let container = Container(environment: .local)
        try container.add(configuration: ["currency": "EUR"]) { registry in
            registry.service(
                (any PriceService).self,
                live: .unavailable,
                local: {
                    NamedPriceService(
                        name: "\($0.configuration.string("currency") ?? "") at \($0.clock.now())")
                },
                mock: { _ in NamedPriceService(name: "mock") })
        }

        let service = try container.resolve((any PriceService).self, .service)

        #expect(service.name == "EUR at 2026-01-01T00:00:00Z")
    }

    @Test("A module resolves registrations of modules that it requires")
    func otherModule() throws {
        let container = Container(environment: .mock)
        try container.add(module: "Catalog", Shop.register)
        try container.add(module: "Books", requires: ["Catalog"]) { registry in
            registry.useCase(Warehouse.Ledger.self) { context in
                _ = try context.repository(PriceRepository.self)
                return Warehouse.Ledger()
            }
        }

        #expect(throws: Never.self) { try container.resolve(Warehouse.Ledger.self, .useCase) }
    }

    @Test("An activation context resolves repositories")
    func activation() throws {
        let container = Container(environment: .mock)
        let scope = try container.add(Shop.register).scope

        let repository = try ActivationContext(container, for: scope).repository(PriceRepository.self)

        #expect(repository === (try container.resolve(PriceRepository.self, .repository)))
    }
}
