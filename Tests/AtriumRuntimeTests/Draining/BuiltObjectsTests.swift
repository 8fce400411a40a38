@_spi(Host) import AtriumKit
import Testing

@testable import AtriumModules

@Suite("Objects of a generation that are alive, and their possible holders")
@MainActor
struct BuiltObjectsTests {
    private let container = Container(environment: .mock)
    private let old = ModuleScope(name: "Stock", requires: [], infrastructure: .none)
    private let shop = ModuleScope(name: "Shop", requires: ["Stock"], infrastructure: .none)

    private final class Stock: FeatureModule {
        func register(in registry: ModuleRegistry) throws {
            registry.service(
                StockService.self, live: .unavailable, local: { _ in StockService() },
                mock: { _ in StockService() })
            registry.service(
                Price.self, live: .unavailable, local: { _ in Price() }, mock: { _ in Price() })
        }
    }

    private final class Shop: FeatureModule {
        func register(in registry: ModuleRegistry) throws {
            registry.repository((any Orders).self, lifetime: .shared) { context in
                StockOrders(stock: try context.service())
            }
            registry.repository(Offers.self, lifetime: .shared) { context in
                Offers(stock: try context.service())
            }
            registry.useCase(Buying.self, lifetime: .shared) { context in
                Buying(offers: try context.repository())
            }
        }
    }

    private final class StockService {}
    private struct Price {}
    private protocol Orders: AnyObject {}
    private final class StockOrders: Orders {
        let stock: StockService
        init(stock: StockService) { self.stock = stock }
    }
    private struct Offers {
        let stock: StockService
    }
    private final class Buying {
        let offers: Offers
        init(offers: Offers) { self.offers = offers }
    }

    private func add(_ module: any FeatureModule, _ scope: ModuleScope) throws {
        let registry = ModuleRegistry(scope: scope)
        try module.register(in: registry)
        registry.close()
        try container.add(registry)
    }

    @Test("The module and its shared objects are counted by type; structs are not counted")
    func counting() throws {
        let module = Stock()
        try add(module, old)

        let before = BuiltObjects(of: module, old, in: container, [])
        _ = try container.value(StockService.self, .service)
        _ = try container.value(Price.self, .service)
        let after = BuiltObjects(of: module, old, in: container, [])

        #expect(before.rows.map(\.type) == ["Stock"])
        #expect(after.rows.map(\.type) == ["Stock", "StockService"])
        #expect(after.rows.map(\.count) == [1, 1])
    }

    @Test("Elements of lists are counted, also those that may be absent")
    func elements() throws {
        let point = ContributionPoint<any AnyObject>("stock")
        let registry = ModuleRegistry(scope: old)
        registry.contribute(to: point) { _ in StockService() }
        registry.contributeIfPresent(to: point) { _ in StockService() }
        registry.contributeIfPresent(to: point) { _ in nil }
        try container.add(registry)

        #expect(container.contributionResults(to: point).count == 2)
        // Each element has a name of its own; the module itself no longer exists.
        #expect(BuiltObjects(of: Stock(), old, in: container, []).rows.map(\.count) == [1, 1])
    }

    @Test("Tracking does not retain objects")
    func weakly() throws {
        var module: Stock? = Stock()
        let built = try #require(
            try module.map { module in
                try add(module, old)
                _ = try container.value(StockService.self, .service)
                return BuiltObjects(of: module, old, in: container, [])
            })

        container.remove(old)
        module = nil

        #expect(built.areGone)
        #expect(built.rows == [])
        #expect(built.held(by: ["task 'sync'"]) == [])
    }

    @Test("Possible holders are the shared objects that resolved the service, also through a struct")
    func holders() throws {
        let module = Stock()
        try add(module, old)
        try add(Shop(), shop)
        let orders = try container.value((any Orders).self, .repository)
        var buying: Buying? = try container.value(Buying.self, .useCase)
        let built = BuiltObjects(of: module, old, in: container, [])

        container.remove(old)
        let both = built.held(by: [])
        withExtendedLifetime(buying) {}
        buying = nil
        let one = built.held(by: ["task 'sync'"])

        #expect(both.map(\.type) == ["Stock", "StockService"])
        #expect(Set(both.last?.holders ?? []) == ["Orders of Shop 1", "Buying of Shop 1"])
        #expect(one.map(\.holders) == [["task 'sync'"], ["Orders of Shop 1", "task 'sync'"]])
        withExtendedLifetime(orders) {}
    }
}
