// A view model that restores a state and saves none.
// error: unavailable property 'savedState' was used to satisfy a requirement of protocol 'ViewModel': A view model with 'restore(_:)' also needs 'var savedState'.
import AtriumKit

@MainActor final class PriceViewModel: ViewModel {
    func restore(_ state: Int) {}
}
