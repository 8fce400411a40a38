import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Factories that throw")
@MainActor
struct FactoryFailureTests {
    /// Whether the factory throws.
    private final class Fault {
        var isThere = true
    }

    private let container = Container(environment: .mock)
    private let fault = Fault()

    private func add(failingWith error: any Error) throws {
        try container.add { [fault] registry in
            registry.service(
                (any PriceService).self, live: .unavailable, local: { _ in NamedPriceService(name: "local") },
                mock: { _ in
                    if fault.isThere { throw error }
                    return NamedPriceService(name: "mock")
                })
            Shop.registerUpperLayers(in: registry)
        }
    }

    @Test("An error that a factory throws becomes the cause; its message and hint are passed on")
    func explained() throws {
        try add(failingWith: ExplainedFailure())

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(PriceRepository.self, .repository)
        }

        #expect(error?.code == .factoryFailed)
        #expect(
            error?.message
                == "PriceService could not be built (PriceRepository → PriceService): The printer is out of paper."
        )
        #expect(error?.hint == "Add paper.")
        #expect(error?.cause is ExplainedFailure)
        #expect(error?.path == ["PriceRepository", "PriceService"])
    }

    @Test("An error without a message of its own is described by its type")
    func unexplained() throws {
        try add(failingWith: PlainFailure())

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve((any PriceService).self, .service)
        }

        #expect(
            error?.message
                == "PriceService could not be built (PriceService): it threw an error of type PlainFailure.")
        #expect(error?.hint == nil)
        #expect(error?.cause as? PlainFailure == PlainFailure())
    }

    @Test("After an error a value can be resolved again; nothing half-built remains")
    func again() throws {
        try add(failingWith: PlainFailure())

        #expect(throws: ResolutionError.self) { try container.resolve(Basket.self, .aggregateModel) }
        let second = #expect(throws: ResolutionError.self) {
            try container.resolve(Basket.self, .aggregateModel)
        }
        fault.isThere = false
        let basket = try container.resolve(Basket.self, .aggregateModel)

        #expect(second?.code == .factoryFailed)
        #expect(second?.path == ["Basket", "DiscountRule", "PriceRepository", "PriceService"])
        #expect(basket.rule.prices.service.name == "mock")
    }

    @Test("A screen that fails to build does not affect the next one's view models or navigator")
    func nextScreen() throws {
        let scope = ModuleScope.named("Catalog")
        let registry = ModuleRegistry(scope: scope)
        registry.screen(PriceList.self) { context in
            PriceView(viewModel: try context.viewModel(context.destination.category))
        }
        try add(failingWith: PlainFailure())
        let destination = PriceList(category: "lamps")
        let navigator = StationaryNavigator()

        #expect(throws: ResolutionError.self) {
            try registry.screens[0].build(destination, in: container, navigator: StationaryNavigator())
        }
        fault.isThere = false
        let screen = try registry.screens[0].build(destination, in: container, navigator: navigator)

        #expect((screen.view as? PriceView)?.viewModel.navigator === navigator)
        #expect(screen.viewModels.count == 1)
    }
}
