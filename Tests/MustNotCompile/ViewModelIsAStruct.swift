// A view model that is a struct.
// error: non-class type 'PriceViewModel' cannot conform to class protocol 'ViewModel'
import AtriumKit

@MainActor struct PriceViewModel: ViewModel {}
