import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Registrations of a module")
@MainActor
struct ModuleRegistryTests {
    private let registry = ModuleRegistry(scope: .named("Catalog"))

    @Test("A valid module has no findings; its registrations and screens are listed")
    func good() {
        Shop.register(in: registry)

        #expect(registry.findings.isEmpty)
        #expect(registry.registrations.count == 6)
        #expect(registry.screens.map(\.pattern) == ["prices/:category"])
        #expect(registry.screens.map(\.module) == ["Catalog"])
    }

    @Test("All duplicates in a module are findings, and the module can't be added")
    func duplicates() throws {
        Shop.register(in: registry)
        registry.repository(PriceRepository.self) { _ in
            PriceRepository(service: NamedPriceService(name: "second"))
        }
        registry.screen(PriceList.self) { context in
            PriceView(viewModel: try context.viewModel(context.destination.category))
        }

        #expect(registry.findings.map(\.code) == [.duplicate, .duplicate])
        #expect(
            registry.findings.map(\.message) == [
                "Module 'Catalog' can't register PriceRepository as a repository: it registered that before.",
                "Module 'Catalog' registers the screen 'prices/:category' twice.",
            ])
        #expect(
            registry.findings.map(\.hint) == [
                "Register each type once, or under another name.",
                "Give each destination a pattern of its own.",
            ])
        #expect(registry.screens.count == 1)
        let container = Container(environment: .mock)
        #expect(throws: RegistrationError.self) { try container.add(registry) }
        #expect(container.count == 0)
    }

    @Test("A difference between declared and registered screens names both")
    func screensDiffer() {
        let both = RegistrationError.screensDiffer(
            module: "Catalog", undeclared: ["a", "b/:id"], unregistered: ["c"])
        let one = RegistrationError.screensDiffer(
            module: "Catalog", undeclared: [], unregistered: ["c", "d"])

        #expect(both.code == .screensDiffer)
        #expect(
            both.message
                == "Module 'Catalog' registers 'a', 'b/:id', which its manifest does not declare, "
                + "and declares 'c', which it does not register.")
        #expect(
            both.hint
                == "Register each screen always; if module.json has \"screens\", make it agree with register(in:)."
        )
        #expect(one.message == "Module 'Catalog' declares 'c', 'd', which it does not register.")
    }
}
