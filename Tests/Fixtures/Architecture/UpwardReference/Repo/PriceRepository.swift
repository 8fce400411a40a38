@MainActor
final class PriceRepository {
    // error: [upward-reference] a repository refers to 'PriceViewModel', which is a view model and above it;
    //        let what is above call, and return values
    weak var delegate: PriceViewModel?
    // A protocol of its own, which a view model may implement, is no reference to it.
    weak var observer: (any PriceObserver)?
}

@MainActor
protocol PriceObserver: AnyObject {
    func pricesChange()
}
