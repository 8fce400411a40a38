// A view model that saves a state and can't restore it.
// error: unavailable instance method 'restore' was used to satisfy a requirement of protocol 'ViewModel': A view model with 'savedState' also needs 'func restore(_ state:)'.
import AtriumKit

@MainActor final class PriceViewModel: ViewModel {
    var savedState: Int { 1 }
}
