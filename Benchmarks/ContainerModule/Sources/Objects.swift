public import AtriumKit

// The objects that all sides build.

protocol PriceService: Sendable {}

final class Prices: PriceService {
    let rate = 19
}

protocol StockService: Sendable {}

final class Stock: StockService {
    let count = 4
}

/// Shared by all; its initializer does work, so that the compiler can't allocate it statically.
protocol RateService: Sendable {}

final class Rates: RateService {
    let rate: Int

    init() {
        rate = Int(CommandLine.argc)
    }

    static let shared = Rates()
    static let sharedService: any RateService = Rates()
}

final class Orders {
    let prices: Prices
    let stock: Stock

    init(prices: Prices, stock: Stock) {
        self.prices = prices
        self.stock = stock
    }
}

final class PlaceOrder {
    let orders: Orders

    init(orders: Orders) {
        self.orders = orders
    }
}

/// The same types behind protocols, as in modules.
final class Sales {
    let prices: any PriceService
    let stock: any StockService

    init(prices: any PriceService, stock: any StockService) {
        self.prices = prices
        self.stock = stock
    }
}

final class PlaceSale {
    let sales: Sales

    init(sales: Sales) {
        self.sales = sales
    }
}

final class SaleViewModel: ViewModel {
    let sales: Sales

    init(sales: Sales) {
        self.sales = sales
    }
}

struct SaleView: View {
    let viewModel: SaleViewModel
    var body: Content { Text("Sale") }
}

public struct SaleDestination: Destination {
    public static let pattern: LinkPattern = "sale"

    public init() {}
}

// MARK: - Consuming the objects

// Opaque to the optimizer, so that no work is eliminated; each call takes and releases an object.

@inline(never) @_optimize(none) func sink(_ object: consuming AnyObject) {}
@inline(never) @_optimize(none) func sinkPrices(_ service: consuming any PriceService) {}
@inline(never) @_optimize(none) func sinkRates(_ service: consuming any RateService) {}
@inline(never) @_optimize(none) func sinkView(_ view: consuming SaleView) {}
