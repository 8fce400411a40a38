import Synchronization

/// The same objects without a container.
@MainActor
public enum Baselines {
    /// Direct constructor calls.
    public static func plain(_ what: Case) {
        let start = LoopWatch.start()
        switch what {
        case .leaf: for _ in 0..<LoopWatch.times { sink(Prices()) }
        case .leafService: for _ in 0..<LoopWatch.times { sinkPrices(Prices() as any PriceService) }
        case .shared, .sharedService: preconditionFailure("A shared value is not constructed.")
        case .graph:
            for _ in 0..<LoopWatch.times {
                sink(PlaceOrder(orders: Orders(prices: Prices(), stock: Stock())))
            }
        case .graphService:
            for _ in 0..<LoopWatch.times { sink(PlaceSale(sales: Sales(prices: Prices(), stock: Stock()))) }
        case .viewModel:
            for _ in 0..<LoopWatch.times {
                sink(SaleViewModel(sales: Sales(prices: Prices(), stock: Stock())))
            }
        case .screen:
            for _ in 0..<LoopWatch.times {
                sinkView(SaleView(viewModel: SaleViewModel(sales: Sales(prices: Prices(), stock: Stock()))))
            }
        }
        LoopWatch.stop(start)
    }

    /// A static constant, retained and released.
    public static func constant(_ what: Case) {
        let start = LoopWatch.start()
        if what == .shared {
            for _ in 0..<LoopWatch.times { sink(Rates.shared) }
        } else {
            for _ in 0..<LoopWatch.times { sinkRates(Rates.sharedService) }
        }
        LoopWatch.stop(start)
    }

    /// A dictionary of closures behind a lock, with a cast.
    public static func locked(_ what: Case) {
        let dictionary = LockedDictionary.filled
        let start = LoopWatch.start()
        switch what {
        case .leaf: for _ in 0..<LoopWatch.times { sink(dictionary.resolve(Prices.self)) }
        case .leafService:
            for _ in 0..<LoopWatch.times { sinkPrices(dictionary.resolve((any PriceService).self)) }
        case .shared: for _ in 0..<LoopWatch.times { sink(dictionary.resolve(Rates.self)) }
        case .sharedService:
            for _ in 0..<LoopWatch.times { sinkRates(dictionary.resolve((any RateService).self)) }
        case .graph: for _ in 0..<LoopWatch.times { sink(dictionary.resolve(PlaceOrder.self)) }
        case .graphService: for _ in 0..<LoopWatch.times { sink(dictionary.resolve(PlaceSale.self)) }
        case .viewModel, .screen:
            for _ in 0..<LoopWatch.times { sink(dictionary.resolve(SaleViewModel.self)) }
        }
        LoopWatch.stop(start)
    }
}

/// A minimal container: a locked dictionary of closures.
///
/// It is filled with all that is asked of it, each under its own type, so it unwraps and casts without a check.
final class LockedDictionary: Sendable {
    private let factories = Mutex<[ObjectIdentifier: @Sendable () -> Any]>([:])

    func set<Value>(_ type: Value.Type, _ factory: @escaping @Sendable () -> Any) {
        factories.withLock { $0[ObjectIdentifier(type)] = factory }
    }

    func resolve<Value>(_ type: Value.Type = Value.self) -> Value {
        factories.withLock { $0[ObjectIdentifier(type)]! }() as! Value
    }

    @MainActor static let filled: LockedDictionary = {
        let dictionary = LockedDictionary()
        let (rates, service) = (Rates(), Rates() as any RateService)
        dictionary.set(Prices.self) { Prices() }
        dictionary.set(Stock.self) { Stock() }
        dictionary.set((any PriceService).self) { Prices() }
        dictionary.set((any StockService).self) { Stock() }
        dictionary.set(Rates.self) { rates }
        dictionary.set((any RateService).self) { service }
        dictionary.set(Orders.self) { Orders(prices: dictionary.resolve(), stock: dictionary.resolve()) }
        dictionary.set(Sales.self) { Sales(prices: dictionary.resolve(), stock: dictionary.resolve()) }
        dictionary.set(PlaceOrder.self) { PlaceOrder(orders: dictionary.resolve()) }
        dictionary.set(PlaceSale.self) { PlaceSale(sales: dictionary.resolve()) }
        dictionary.set(SaleViewModel.self) {
            let sales = Box(dictionary.resolve(Sales.self))
            return MainActor.assumeIsolated { SaleViewModel(sales: sales.value) }
        }
        return dictionary
    }()

    /// Unchecked, because the value never leaves the main actor, on which the dictionary is used.
    private struct Box: @unchecked Sendable {
        let value: Sales
        init(_ value: Sales) { self.value = value }
    }
}
