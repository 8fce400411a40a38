import AtriumKit
import Observation

/// Quotes a price; it uses Rates, which may be absent.
final class QuotesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.useCase(Quote.self) { Quote(rate: try $0.useCaseIfPresent(named: "rate")) }
        registry.viewModel(QuotesViewModel.self) { QuotesViewModel(quote: try $0.useCase()) }
        registry.screen(QuotesDestination.self) { QuotesView(viewModel: try $0.viewModel()) }
        registry.contributeIfPresent(to: .healthChecks) { context in
            let rate: (@MainActor () -> Int)? = try context.useCaseIfPresent(named: "rate")
            return rate.map { rate in HealthCheck("rate") { "\(rate()) a day" } }
        }
        registry.whilePresent("Rates") {
            registry.viewModel(OfferViewModel.self) { context in
                let rate: @MainActor () -> Int = try context.useCase(named: "rate")
                return OfferViewModel(rate: rate)
            }
            registry.screen(OfferDestination.self) { OfferView(viewModel: try $0.viewModel()) }
        }
    }
}

/// The price of some days: by the rate of Rates, or else 1 a day.
@MainActor final class Quote {
    private let rate: (@MainActor () -> Int)?
    var origin: String { rate == nil ? "our own" : "of Rates" }

    init(rate: (@MainActor () -> Int)?) {
        self.rate = rate
    }

    func price(days: Int) -> Int { days * (rate?() ?? 1) }
}

@Observable final class QuotesViewModel: ViewModel {
    let quote: Quote
    private(set) var days = 1
    var savedState: Days { Days(days: days) }

    init(quote: Quote) {
        self.quote = quote
    }

    func restore(_ state: Days) {
        days = state.days
    }

    func change(days: Int) {
        self.days = days
    }
}

/// The saved state of the screen.
struct Days: Codable {
    let days: Int
}

struct QuotesDestination: Destination {
    static let pattern: LinkPattern = "quotes"
}

struct QuotesView: View {
    let viewModel: QuotesViewModel

    var body: Content {
        Title("Quote")
        Field("days", viewModel.days)
        Field("price", viewModel.quote.price(days: viewModel.days))
        Field("rate", viewModel.quote.origin)
    }

    var actions: [Action] {
        Action("days", "Changes the number of days", Argument<Int>("count")) { count in
            viewModel.change(days: count)
            return .updated
        }
    }
}

@Observable final class OfferViewModel: ViewModel {
    let price: Int

    init(rate: @MainActor () -> Int) {
        price = 365 * rate()
    }
}

struct OfferDestination: Destination {
    static let pattern: LinkPattern = "quotes/offer"
}

struct OfferView: View {
    let viewModel: OfferViewModel

    var body: Content {
        Title("Offer")
        Field("price", viewModel.price)
    }
}
