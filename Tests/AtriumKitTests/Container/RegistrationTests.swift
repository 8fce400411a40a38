import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Adding and removing a module's registrations")
@MainActor
struct RegistrationTests {
    private let container = Container(environment: .mock)

    @Test("A type that another module provides is refused, and nothing of the refused module is added")
    func duplicateAcrossModules() throws {
        try container.add(module: "Catalog", Shop.register)
        let before = container.count

        let error = #expect(throws: RegistrationError.self) {
            try container.add(module: "Shop") { registry in
                registry.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
                registry.service(
                    (any PriceService).self, live: .unavailable,
                    local: { _ in NamedPriceService(name: "shop") },
                    mock: { _ in NamedPriceService(name: "shop") })
            }
        }

        #expect(error?.code == .duplicate)
        #expect(error?.category == .module)
        #expect(
            error?.message
                == "Module 'Shop' can't register PriceService as a service: module 'Catalog' already provides it."
        )
        #expect(error?.hint == "Leave one of the two modules out, or register a type of its own.")
        #expect(container.count == before)
        #expect(throws: ResolutionError.self) { try container.resolve(Warehouse.Ledger.self, .repository) }
        #expect(try container.resolve(PriceRepository.self, .repository).service.name == "mock")
    }

    @Test("A type can be registered in two layers")
    func twoLayers() throws {
        try container.add { registry in
            registry.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
            registry.useCase(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
        }

        #expect(container.count == 2)
    }

    @Test("Removing a module releases its shared values, and not those of other modules")
    func removal() throws {
        let scope = try container.add(module: "Catalog", Shop.register).scope
        try container.add(module: "Books") { registry in
            registry.repository(Warehouse.Ledger.self) { _ in Warehouse.Ledger() }
        }
        weak let repository = try container.resolve(PriceRepository.self, .repository)
        let ledger = try container.resolve(Warehouse.Ledger.self, .repository)
        #expect(repository != nil)

        container.remove(scope)

        #expect(repository == nil)
        #expect(container.count == 1)
        #expect(try container.resolve(Warehouse.Ledger.self, .repository) === ledger)
        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(PriceRepository.self, .repository)
        }
        #expect(error?.code == .notRegistered)
    }

    @Test("A removed module can be added again, and its values are rebuilt")
    func again() throws {
        let scope = try container.add(Shop.register).scope
        let first = ObjectIdentifier(try container.resolve(Basket.self, .aggregateModel).rule)
        let kept = try container.resolve(Basket.self, .aggregateModel)

        container.remove(scope)
        try container.add(Shop.register)

        #expect(first == ObjectIdentifier(kept.rule))
        #expect(try container.resolve(Basket.self, .aggregateModel) !== kept)
    }

    @Test("Removing a generation does not affect another generation of the module")
    func generations() throws {
        try container.add(module: "Catalog", Shop.register)

        container.remove(ModuleScope.named("Catalog"))

        #expect(throws: Never.self) { try container.resolve(PriceRepository.self, .repository) }
    }
}
