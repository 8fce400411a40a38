// A view model that is a value.
// error: non-class type 'PriceViewModel' cannot conform to class protocol 'ViewModel'
import AtriumKit

@MainActor struct PriceViewModel: ViewModel {}
