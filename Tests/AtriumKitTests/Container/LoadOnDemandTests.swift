import Testing

@_spi(Host) @testable import AtriumKit

private final class Lamp {}
private final class Shade {
    let lamp: Lamp
    init(_ lamp: Lamp) { self.lamp = lamp }
}

@Suite("Loading on demand")
@MainActor
struct LoadOnDemandTests {
    private let container = Container(environment: .mock)

    private func offerLamp() -> Counter {
        let loads = Counter()
        container.loadOnDemand = { [unowned container] name, _ in
            guard name == "Lamp" else { return false }
            _ = loads.next()
            return (try? container.add(module: "Lamps") { $0.repository(Lamp.self) { _ in Lamp() } }) != nil
        }
        return loads
    }

    @Test("The module of a missing type is loaded once")
    func once() throws {
        let loads = offerLamp()

        let first = try container.resolve(Lamp.self, .repository)
        let second = try container.resolve(Lamp.self, .repository)

        #expect(first === second)
        #expect(loads.count == 1)
    }

    @Test("A type that is loaded on demand is available to the factory that requires it")
    func withinFactory() throws {
        let loads = offerLamp()
        try container.add(module: "Shades", requires: ["Lamps"]) { registry in
            registry.aggregateModel(Shade.self) { Shade(try $0.repository()) }
        }

        let shade = try container.resolve(Shade.self, .aggregateModel)

        #expect(try shade.lamp === container.resolve(Lamp.self, .repository))
        #expect(loads.count == 1)
    }

    @Test("A type that no module can provide is reported as not registered")
    func missing() {
        _ = offerLamp()

        let error = #expect(throws: ResolutionError.self) {
            try container.resolve(Shade.self, .aggregateModel)
        }

        #expect(error?.code == .notRegistered)
    }

    @Test("A sandbox loads no modules on demand")
    func sandbox() async throws {
        let loads = offerLamp()
        try container.add(module: "Shades", requires: ["Lamps"]) { registry in
            registry.aggregateModel(Shade.self) { Shade(try $0.repository()) }
        }

        let report = try container.verify(screens: [], infrastructure: { $0.infrastructure })

        #expect(report.findings.count == 1)
        #expect(loads.count == 0)
    }
}
