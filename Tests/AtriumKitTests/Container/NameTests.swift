import Testing

@_spi(Host) @testable import AtriumKit

private final class Printer {
    let place: String

    init(_ place: String) {
        self.place = place
    }
}

private final class PrintRoom {
    let office: Printer
    let hall: Printer

    init(office: Printer, hall: Printer) {
        self.office = office
        self.hall = hall
    }
}

@Suite("Named registrations")
@MainActor
struct NameTests {
    private let container = Container(environment: .mock)

    private func addPrinters(_ names: [String?]) throws {
        try container.add { registry in
            for name in names {
                registry.service(Printer.self, named: name) { _ in Printer(name ?? "nowhere") }
            }
        }
    }

    @Test("A type can be registered under several names; each is resolved by name and built once")
    func several() throws {
        try addPrinters(["office", "hall", nil])
        try container.add(module: "Print", requires: ["Catalog"]) { registry in
            registry.repository(PrintRoom.self, lifetime: .transient) {
                PrintRoom(office: try $0.service(named: "office"), hall: try $0.service(named: "hall"))
            }
        }

        let rooms = try (0..<3).map { _ in try container.resolve(PrintRoom.self, .repository) }
        let unnamed = try container.resolve(Printer.self, .service)

        #expect(rooms.map(\.office.place) == ["office", "office", "office"])
        #expect(rooms.map(\.hall.place) == ["hall", "hall", "hall"])
        #expect(Set(rooms.map { ObjectIdentifier($0.office) }).count == 1)
        #expect(unnamed.place == "nowhere")
        #expect(container.count == 4)
    }

    @Test("Resolving without a name reports the names if there are only named ones")
    func onlyNamed() throws {
        try addPrinters(["office", "hall"])

        let error = #expect(throws: ResolutionError.self) { try container.resolve(Printer.self, .service) }

        #expect(error?.code == .notRegistered)
        #expect(error?.message == "No active module registers Printer as a service: Printer.")
        #expect(error?.hint == "It is registered 'hall', 'office' only; resolve it by that name.")
    }

    @Test("Resolving an unknown name reports the existing ones, including the one without a name")
    func otherName() throws {
        try addPrinters(["office", nil])

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Printer.self, .service, named: "offices")
        }

        #expect(
            error?.message == "No active module registers Printer 'offices' as a service: Printer 'offices'.")
        #expect(error?.hint == "It is registered 'office', without a name only; resolve it by that name.")
        #expect(error?.path == ["Printer 'offices'"])
    }

    @Test("A name that a module uses twice is a finding, and nothing of the module is added")
    func duplicate() throws {
        let registry = ModuleRegistry.of("Catalog") { registry in
            registry.repository(Printer.self, named: "office") { _ in Printer("first") }
            registry.repository(Printer.self, named: "hall") { _ in Printer("hall") }
            registry.repository(Printer.self, named: "office") { _ in Printer("second") }
        }

        #expect(throws: RegistrationError.self) { try container.add(registry) }

        #expect(registry.findings.map(\.code) == [.duplicate])
        #expect(
            registry.findings.map(\.message) == [
                "Module 'Catalog' can't register Printer 'office' as a repository: it registered that before."
            ])
        #expect(registry.findings.map(\.hint) == ["Register each type once, or under another name."])
        #expect(container.count == 0)
    }

    @Test("Two modules can register a type under different names, but not under the same name")
    func acrossModules() throws {
        try addPrinters(["office"])
        try container.add(module: "Hall") { registry in
            registry.service(Printer.self, named: "hall") { _ in Printer("hall") }
        }

        let error = #expect(throws: RegistrationError.self) {
            try container.add(module: "Office") { registry in
                registry.service(Printer.self, named: "office") { _ in Printer("other") }
            }
        }

        #expect(
            error?.message
                == "Module 'Office' can't register Printer 'office' as a service: "
                + "module 'Catalog' already provides it.")
        #expect(try container.resolve(Printer.self, .service, named: "office").place == "office")
        #expect(try container.resolve(Printer.self, .service, named: "hall").place == "hall")
    }
}
