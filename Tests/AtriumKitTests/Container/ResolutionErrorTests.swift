import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Resolution errors")
@MainActor
struct ResolutionErrorTests {
    private let container = Container(environment: .mock)

    private func failure(_ resolve: () throws -> Void) -> ResolutionError? {
        #expect(throws: ResolutionError.self) { try resolve() }
    }

    private func screenFailure(_ register: (ModuleRegistry) -> Void) throws -> ResolutionError? {
        let registry = try container.add(register).registry
        return failure {
            _ = try registry.screens[0].build(
                PriceList(category: "lamps"), in: container, navigator: StationaryNavigator())
        }
    }

    @Test("The error about a missing type has the path from the screen to the type")
    func notRegistered() throws {
        let error = try screenFailure(Shop.registerUpperLayers)

        #expect(error?.code == .notRegistered)
        #expect(
            error?.message
                == "No active module registers PriceService as a service: "
                + "prices/:category → PriceViewModel → Basket → DiscountRule → PriceRepository → PriceService."
        )
        #expect(error?.hint == nil)
        #expect(
            error?.path == [
                "prices/:category", "PriceViewModel", "Basket", "DiscountRule", "PriceRepository",
                "PriceService",
            ])
    }

    @Test("The hint about a missing type mentions its registration in another layer")
    func otherLayer() throws {
        try container.add(Shop.register)

        let error = failure { _ = try container.resolve(DiscountRule.self, .repository) }

        #expect(error?.message == "No active module registers DiscountRule as a repository: DiscountRule.")
        #expect(error?.hint == "It is registered as a use case; resolve it as one.")
    }

    @Test("The hint about a missing type suggests the nearest name of the same layer")
    func nearest() throws {
        try container.add(Shop.register)

        let error = failure { _ = try container.resolve(PriceRepositry.self, .repository) }
        let elsewhere = failure { _ = try container.resolve(PriceRepositry.self, .useCase) }

        #expect(error?.hint == "Did you mean PriceRepository?")
        #expect(elsewhere?.hint == nil)
    }

    @Test("The hint about a missing type mentions another type of the same name")
    func sameName() throws {
        try container.add { registry in
            registry.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
        }

        let error = failure { _ = try container.resolve(Bank.Ledger.self, .repository) }

        #expect(error?.message == "No active module registers Ledger as a repository: Ledger.")
        #expect(error?.hint == "A different type has the same name in module 'Catalog'.")
    }

    @Test("A dependency cycle is reported without the path that leads to it")
    func cycle() throws {
        // The contexts of the layers allow no cycle; code that holds the container can create one.
        try container.add { [container] registry in
            registry.service(
                (any PriceService).self, live: .unavailable, local: { _ in NamedPriceService(name: "local") },
                mock: { _ in
                    _ = try container.resolve(PriceRepository.self, .repository)
                    return NamedPriceService(name: "mock")
                })
            Shop.registerUpperLayers(in: registry)
        }

        let error = failure { _ = try container.resolve(Basket.self, .aggregateModel) }

        #expect(error?.code == .cycle)
        #expect(
            error?.message
                == "Dependency cycle: PriceRepository → PriceService → PriceRepository.")
        #expect(
            error?.hint
                == "Break the cycle: let one of them take a Provider, or what it needs as an argument.")
        #expect(
            error?.path == [
                "Basket", "DiscountRule", "PriceRepository", "PriceService", "PriceRepository",
            ])
    }

    @Test("An argument mismatch lists the expected and the given types")
    func argumentMismatch() throws {
        try container.add(Shop.register)

        let none = failure { _ = try container.resolve(PriceViewModel.self, .viewModel) }
        let number = failure { _ = try container.resolve(PriceViewModel.self, .viewModel, 1, true) }
        let needless = failure { _ = try container.resolve(Basket.self, .aggregateModel, "x") }

        #expect(none?.code == .argumentMismatch)
        #expect(
            none?.message
                == "PriceViewModel takes (String), but was given no arguments: PriceViewModel.")
        #expect(
            number?.message
                == "PriceViewModel takes (String), but was given (Int, Bool): PriceViewModel.")
        #expect(needless?.message == "Basket takes no arguments, but was given (String): Basket.")
    }

    @Test("The error about a missing implementation names the environments that have one")
    func wrongEnvironment() throws {
        let container = Container(environment: .live)
        try container.add(Shop.register)

        let error = failure { _ = try container.resolve(PriceRepository.self, .repository) }

        #expect(error?.code == .wrongEnvironment)
        #expect(
            error?.message
                == "PriceService has no implementation for environment 'live', only for 'mock' and 'local': "
                + "PriceRepository → PriceService.")
        #expect(error?.hint == "Start with --env local.")
    }
}
