import Testing

@_spi(Host) @testable import AtriumKit

private final class Printer {
    let model: String

    init(_ model: String) {
        self.model = model
    }
}

/// Holds a provider instead of the value.
private final class Desk {
    let printer: Provider<Printer>

    init(printer: Provider<Printer>) {
        self.printer = printer
    }
}

@Suite("Providers")
@MainActor
struct ProviderTests {
    private let container = Container(environment: .mock)

    @discardableResult
    private func addDesk() throws -> (desk: Desk, scope: ModuleScope) {
        let scope = try container.add(module: "Office", requires: ["Print"]) { registry in
            registry.repository(Desk.self) { Desk(printer: $0.serviceProvider()) }
        }.scope
        return (try container.resolve(Desk.self, .repository), scope)
    }

    @discardableResult
    private func addPrinter(_ model: String, generation: Int = 1) throws -> ModuleScope {
        try container.add(module: "Print", generation: generation) { registry in
            registry.service(Printer.self) { _ in Printer(model) }
        }.scope
    }

    private func failure(_ desk: Desk) -> ResolutionError? {
        #expect(throws: ResolutionError.self) { try desk.printer() }
    }

    @Test("A provider fails with a typed error until a module registers the type")
    func missing() throws {
        let desk = try addDesk().desk

        let error = failure(desk)
        try addPrinter("laser")

        #expect(error?.code == .notRegistered)
        #expect(error?.message == "No active module registers Printer as a service: Printer.")
        #expect(error?.path == ["Printer"])
        #expect(try desk.printer().model == "laser")
        #expect(try desk.printer() === desk.printer())
    }

    @Test("After a removal a provider's error names the former module; it works again once re-registered")
    func removal() throws {
        let printer = try addPrinter("laser")
        let desk = try addDesk().desk
        _ = try desk.printer()

        container.remove(printer)
        let error = failure(desk)
        try addPrinter("inkjet")

        #expect(error?.code == .notRegistered)
        #expect(
            error?.message
                == "No active module registers Printer as a service; module 'Print', which did, "
                + "was removed or updated: Printer.")
        #expect(error?.hint == "why Print")
        #expect(try desk.printer().model == "inkjet")
    }

    @Test("After an update a provider returns the value of the next generation")
    func update() throws {
        let first = try addPrinter("laser")
        let desk = try addDesk().desk
        weak let old = try desk.printer()
        #expect(old != nil)

        let change = StagedChange(of: container)
        change.remove(first)
        try change.add(
            .of("Print", generation: 2) { registry in
                registry.service(Printer.self) { _ in Printer("laser 2") }
            })
        try change.publish()

        #expect(old == nil)
        #expect(try desk.printer().model == "laser 2")
    }

    @Test("The holder of a provider is not rebuilt if the provided value changes")
    func notHeld() throws {
        let printer = try addPrinter("laser")
        let desk = try addDesk().desk
        _ = try desk.printer()

        let change = container.remove(printer)

        #expect(change.changed.map(\.name) == ["Printer"])
        #expect(change.affected.isEmpty)
        #expect(try container.resolve(Desk.self, .repository) === desk)
    }

    @Test("A provider of a retired generation can't resolve anything")
    func retired() throws {
        try addPrinter("laser")
        let (desk, scope) = try addDesk()
        _ = try desk.printer()

        container.remove(scope)
        try container.add(module: "Office", generation: 2, requires: ["Print"]) { _ in }
        let error = failure(desk)

        #expect(error?.code == .retired)
        #expect(
            error?.message
                == "Generation 1 of module 'Office' is retired and can't resolve anything: Printer.")
        #expect(error?.hint == "Stop its work in deactivate().")
        #expect(error?.path == ["Printer"])
    }

    @Test("A provider builds a transient value on each call")
    func calls() throws {
        try container.add(module: "Print") { registry in
            registry.repository(Printer.self, named: "new", lifetime: .transient) { _ in Printer("new") }
        }
        let scope = ModuleScope.named("Office", requires: ["Print"])
        let fresh: Provider<Printer> = ActivationContext(container, for: scope).repositoryProvider(
            named: "new")

        #expect(try fresh() !== fresh())
    }

    // MARK: - Held states

    @Test("A provider of a retired generation works while its state is held, and no longer")
    func held() throws {
        let printer = try addPrinter("laser")
        let (desk, scope) = try addDesk()
        let value = try desk.printer()
        var state: Container? = container.hold()

        container.remove(scope)
        container.remove(printer)
        try addPrinter("inkjet", generation: 2)

        #expect(try desk.printer() === value)
        withExtendedLifetime(state) {}
        state = nil
        #expect(failure(desk)?.code == .retired)
    }

    @Test("A value that a held state builds first is shared with the current state")
    func promoted() throws {
        try addPrinter("laser")
        let (desk, scope) = try addDesk()
        let state = container.hold()

        container.remove(scope)
        let value = try desk.printer()

        #expect(try container.resolve(Printer.self, .service) === value)
        withExtendedLifetime(state) {}
    }

    @Test("A held state does not share values of registrations that have changed since")
    func outdated() throws {
        let scope = try container.add(module: "Office", requires: ["Print"]) { registry in
            registry.repository(Desk.self) { Desk(printer: $0.serviceProvider()) }
        }.scope
        let old = try container.add(module: "Print") { registry in
            registry.repository(Printer.self) { _ in Printer("laser") }
        }.scope
        let printer: Provider<Printer> = ActivationContext(container, for: scope).repositoryProvider()
        let state = container.hold()

        container.remove(scope)
        container.remove(old)
        try container.add(module: "Print", generation: 2) { registry in
            registry.repository(Printer.self) { _ in Printer("inkjet") }
        }

        #expect(try printer().model == "laser")
        #expect(try container.resolve(Printer.self, .repository).model == "inkjet")
        withExtendedLifetime(state) {}
    }
}
