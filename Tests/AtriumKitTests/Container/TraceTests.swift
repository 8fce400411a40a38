import Testing

@_spi(Host) @testable import AtriumKit

@Suite("The trace of builds")
@MainActor
struct TraceTests {
    /// Collects the traced events, one list per batch.
    private final class Recording {
        var batches: [[BuildEvent]] = []

        var lines: [[String]] {
            batches.map { batch in
                batch.map { "\($0.depth) \($0.layer.phrase) \($0.name) of \($0.module)" }
            }
        }
    }

    private let container = Container(environment: .mock)
    private let recording = Recording()

    private func startTracing() {
        container.trace { [recording] in recording.batches.append($0) }
    }

    @Test("The builds of one request arrive as one batch, in the order of their starts, with their depth")
    func order() throws {
        let registry = try container.add(module: "Shop", Shop.register).registry
        startTracing()

        _ = try registry.screens[0].build(PriceList(category: "x"), in: container)

        #expect(container.isTraced)
        #expect(
            recording.lines == [
                [
                    "0 a screen prices/:category of Shop",
                    "1 a view model PriceViewModel of Shop",
                    "2 an aggregate model Basket of Shop",
                    "3 a use case DiscountRule of Shop",
                    "4 a repository PriceRepository of Shop",
                    "5 a service PriceService of Shop",
                ]
            ])
        #expect(recording.batches.joined().allSatisfy { !$0.hasFailed })
    }

    @Test("Siblings have the same depth, and each event names the module that built it")
    func siblings() throws {
        try container.add(module: "Tools", Workshop.tools(1))
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        try container.add(module: "Paint", Workshop.paint)
        try container.add(module: "Orders", requires: ["Bench", "Paint"], Workshop.orders)
        startTracing()

        _ = try container.resolve(OrderBook.self, .aggregateModel)

        #expect(
            recording.lines == [
                [
                    "0 an aggregate model OrderBook of Orders", "1 a repository Bench of Bench",
                    "2 a service Saw of Tools", "1 a repository Paint of Paint",
                ]
            ])
    }

    @Test("Existing values are not traced; transient ones are traced each time")
    func again() throws {
        try container.add(module: "Shop", Shop.register)
        for _ in 0..<3 { _ = try container.resolve(DiscountRule.self, .useCase) }
        startTracing()

        for _ in 0..<2 { _ = try container.resolve(DiscountRule.self, .useCase) }
        _ = try container.resolve(PriceRepository.self, .repository)

        #expect(
            recording.lines == [
                ["0 a use case DiscountRule of Shop"], ["0 a use case DiscountRule of Shop"],
            ])
    }

    @Test("A screen that inlined code has built before is still traced")
    func inlined() throws {
        let registry = try container.add(module: "Shop", Shop.register).registry
        for _ in 0..<3 { _ = try registry.screens[0].build(PriceList(category: "x"), in: container) }
        startTracing()

        _ = try registry.screens[0].build(PriceList(category: "x"), in: container)

        #expect(
            recording.lines == [
                ["0 a screen prices/:category of Shop", "1 a view model PriceViewModel of Shop"]
            ])
    }

    @Test("A factory that throws is traced as failed, with the factories that waited for it")
    func failure() throws {
        try container.add(module: "Tools") { registry in
            registry.service(Saw.self) { _ in throw PlainFailure() }
        }
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        startTracing()

        #expect(throws: ResolutionError.self) { try container.resolve(Bench.self, .repository) }

        #expect(
            recording.lines == [["0 a repository Bench of Bench", "1 a service Saw of Tools"]])
        #expect(recording.batches.joined().map(\.hasFailed) == [true, true])
    }

    @Test("No events arrive before tracing starts or after it stops")
    func off() throws {
        try container.add(module: "Shop", Shop.register)
        _ = try container.resolve(DiscountRule.self, .useCase)
        startTracing()
        container.trace(nil)

        for _ in 0..<3 { _ = try container.resolve(DiscountRule.self, .useCase) }
        _ = try container.resolve(Basket.self, .aggregateModel)

        #expect(recording.batches.isEmpty)
        #expect(!container.isTraced)
    }
}
