@_spi(Host) public import AtriumKit

// The loops that resolve. They run in factories, since a module can resolve only there.

final class LeafLoop {}
final class LeafServiceLoop {}
final class SharedLoop {}
final class SharedServiceLoop {}
final class GraphLoop {}
final class GraphServiceLoop {}

/// Runs the loop of one case.
final class LoopViewModel: ViewModel {}

struct LoopView: View {
    let viewModel: LoopViewModel
    var body: Content { Text("Loop") }
}

public struct LoopDestination: Destination {
    public static let pattern: LinkPattern = "loop"

    public init() {}
}

/// A screen that resolves many view models.
public struct ViewModelsDestination: Destination {
    public static let pattern: LinkPattern = "viewmodels"

    public init() {}
}

struct ViewModelsView: View {
    var body: Content { Text("View models") }
}

/// The measured cases.
public enum Case: String, CaseIterable {
    case leaf, leafService = "leaf-service", shared, sharedService = "shared-service", graph
    case graphService = "graph-service", viewModel = "view-model", screen
}

@MainActor
public enum Loops {
    /// The loop that ``LoopViewModel`` runs next.
    public static var next = Case.leaf

    public static func register(in registry: ModuleRegistry) {
        registerObjects(in: registry)
        registerLoops(in: registry)
        registry.viewModel(LoopViewModel.self) { context in
            switch next {
            case .leaf: _ = try context.repository(LeafLoop.self)
            case .leafService: _ = try context.repository(LeafServiceLoop.self)
            case .shared: _ = try context.repository(SharedLoop.self)
            case .sharedService: _ = try context.repository(SharedServiceLoop.self)
            case .graph: _ = try context.aggregateModel(GraphLoop.self)
            case .graphService: _ = try context.aggregateModel(GraphServiceLoop.self)
            case .viewModel, .screen: break
            }
            return LoopViewModel()
        }
        registry.screen(LoopDestination.self) { LoopView(viewModel: try $0.viewModel()) }
    }

    private static func registerObjects(in registry: ModuleRegistry) {
        registry.service(
            Prices.self, lifetime: .transient, live: .unavailable, local: { _ in Prices() },
            mock: { _ in Prices() })
        registry.service(
            Stock.self, lifetime: .transient, live: .unavailable, local: { _ in Stock() },
            mock: { _ in Stock() })
        registry.service(
            (any PriceService).self, lifetime: .transient, live: .unavailable, local: { _ in Prices() },
            mock: { _ in Prices() })
        registry.service(
            (any StockService).self, lifetime: .transient, live: .unavailable, local: { _ in Stock() },
            mock: { _ in Stock() })
        registry.service(Rates.self, live: .unavailable, local: { _ in Rates() }, mock: { _ in Rates() })
        registry.service(
            (any RateService).self, live: .unavailable, local: { _ in Rates() }, mock: { _ in Rates() })
        registry.repository(Orders.self, lifetime: .transient) {
            Orders(prices: try $0.service(), stock: try $0.service())
        }
        registry.repository(Sales.self, lifetime: .transient) {
            Sales(prices: try $0.service(), stock: try $0.service())
        }
        registry.useCase(PlaceOrder.self) { PlaceOrder(orders: try $0.repository()) }
        registry.useCase(PlaceSale.self) { PlaceSale(sales: try $0.repository()) }
        registry.viewModel(SaleViewModel.self) { SaleViewModel(sales: try $0.repository()) }
        registry.screen(SaleDestination.self) { SaleView(viewModel: try $0.viewModel()) }
    }

    private static func registerLoops(in registry: ModuleRegistry) {
        registry.repository(LeafLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sink(try context.service(Prices.self)) }
            LoopWatch.stop(start)
            return LeafLoop()
        }
        registry.repository(LeafServiceLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sinkPrices(try context.service((any PriceService).self)) }
            LoopWatch.stop(start)
            return LeafServiceLoop()
        }
        registry.repository(SharedLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sink(try context.service(Rates.self)) }
            LoopWatch.stop(start)
            return SharedLoop()
        }
        registry.repository(SharedServiceLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sinkRates(try context.service((any RateService).self)) }
            LoopWatch.stop(start)
            return SharedServiceLoop()
        }
        registry.aggregateModel(GraphLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sink(try context.useCase(PlaceOrder.self)) }
            LoopWatch.stop(start)
            return GraphLoop()
        }
        registry.aggregateModel(GraphServiceLoop.self, lifetime: .transient) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sink(try context.useCase(PlaceSale.self)) }
            LoopWatch.stop(start)
            return GraphServiceLoop()
        }
        registry.screen(ViewModelsDestination.self) { context in
            let start = LoopWatch.start()
            for _ in 0..<LoopWatch.times { sink(try context.viewModel() as SaleViewModel) }
            LoopWatch.stop(start)
            return ViewModelsView()
        }
    }
}
