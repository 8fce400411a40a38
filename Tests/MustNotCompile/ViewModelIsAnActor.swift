// A view model that is an actor.
// error: actor 'PriceViewModel' cannot conform to global-actor-isolated protocol 'ViewModel'
import AtriumKit

actor PriceViewModel: ViewModel {
    var savedState: Int { 1 }
    func restore(_ state: Int) {}
}
